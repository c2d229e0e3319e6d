/**
 * @file A page as the texts that WebShop's HTML shows, in document order. The text modes differ only in how they write
 * these nodes.
 */
import { priceTag, type Product, writeFloat } from './catalogue/product.js';
import type { Visit, VisitOptions } from './session.js';

/** A text of a page, and what it is. */
export interface PageNode {
  readonly text: string;
  readonly kind: 'text' | 'button' | 'option' | 'product';
}

/** What a page shows. */
export interface PageContent {
  readonly visit: Visit;
  readonly instruction: string;
  readonly product: Product | undefined;
  /** products on this page of the results */
  readonly shown: readonly Product[];
  /** products that the search found */
  readonly total: number;
}

const text = (value: string): PageNode => ({ text: value, kind: 'text' });
const button = (value: string): PageNode => ({ text: value, kind: 'button' });

/** The nodes of a page; empty texts have none. */
export function nodesOf(content: PageContent, options: VisitOptions): readonly PageNode[] {
  const { visit, instruction } = content;
  if (visit.page === 'done') return doneNodes(visit).map(text);
  if (visit.page === 'index')
    return [text('WebShop'), text('Instruction: '), text(instruction), button('Search')];
  const head = [text('Instruction:'), text(instruction), button('Back to Search')];
  const nodes =
    visit.page === 'results'
      ? [...head, ...resultNodes(content)]
      : [
          ...head,
          button('< Prev'),
          ...(visit.page === 'item' ? itemNodes(content, options) : subNodes(content)),
        ];
  return nodes.filter((node) => node.text !== '');
}

function resultNodes({ visit: { number }, shown, total }: PageContent): PageNode[] {
  return [
    text(`Page ${number} (Total results: ${total})`),
    ...(number > 1 ? [button('< Prev')] : []),
    button('Next >'),
    ...shown.flatMap((product): PageNode[] => [
      { text: product.asin, kind: 'product' },
      text(product.title),
      text(priceTag(product)),
    ]),
  ];
}

function itemNodes({ product }: PageContent, { showAttributes }: VisitOptions): PageNode[] {
  if (product === undefined) return [];
  return [
    ...product.options.flatMap(({ name, values }): PageNode[] => [
      text(name),
      ...values.map((value): PageNode => ({ text: value, kind: 'option' })),
    ]),
    text(product.title),
    text(`Price: ${priceTag(product)}`),
    text('Rating: N.A.'),
    button('Description'),
    button('Features'),
    button('Reviews'),
    ...(showAttributes ? [button('Attributes')] : []),
    button('Buy Now'),
  ];
}

function subNodes({ visit: { sub }, product }: PageContent): PageNode[] {
  if (product === undefined) return [];
  switch (sub) {
    case 'description':
      return [text(product.description)];
    case 'features':
      return product.bullets.map((bullet) => text(` ${bullet}`));
    case 'attributes':
      return [
        ...product.attributes.map((attribute) => text(` ${attribute}`)),
        text(product.category),
        text(product.query),
        text(product.path),
      ];
    case 'reviews':
      return [];
  }
}

/** WebShop's last page: it is told the purchase and the score, not the goal. */
function doneNodes({ asin, chosen, reward }: Visit): readonly string[] {
  const options = [...chosen].sort(([left], [right]) => (left < right ? -1 : 1));
  return [
    'Thank you for shopping with us!',
    'Your code: ',
    'None',
    ' (Paste it in your MTurk interface.)',
    'Purchased',
    'asin',
    asin,
    'options',
    writePythonJson(options).replace(/[<>&']/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    'attrs',
    'None',
    'category',
    'None',
    'query',
    'None',
    'product category',
    'None',
    'Target',
    'asin',
    'options',
    'attrs',
    'price upper',
    'instuction text',
    'category',
    'product category',
    'query',
    'Goal ',
    'None',
    'Reward',
    'Your score (min 0.0, max 1.0)',
    writeFloat(reward?.total ?? 0),
    'Reward Details ',
    'None',
  ];
}

/** Writes an object as Python's `json.dumps` does: a space after separators, ASCII only. */
export function writePythonJson(entries: readonly (readonly [string, string])[]): string {
  const write = (value: string): string =>
    JSON.stringify(value).replace(
      /[\u007f-\uffff]/g,
      (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  return `{${entries.map(([name, value]) => `${write(name)}: ${write(value)}`).join(', ')}}`;
}
