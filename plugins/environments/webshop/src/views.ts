/** @file The ways to show a page: WebShop's two text modes, and a short one for small models. */
import { priceTag } from './catalogue/product.js';
import { type PageContent, type PageNode, writePythonJson } from './page-nodes.js';
import type { Visit } from './session.js';

export const observations = ['text', 'text_rich', 'compact'] as const;
export type ObservationMode = (typeof observations)[number];

/** WebShop's mode `text`: texts joined by separators. */
export function simpleText(nodes: readonly PageNode[]): string {
  return nodes.map(({ text }) => text.trim()).join(' [SEP] ');
}

/**
 * WebShop's mode `text_rich`: one text a line, buttons marked. A chosen option is recognised in the address of the page, as
 * there: values with quotes or letters beyond ASCII are written otherwise in an address and never appear as chosen.
 */
export function richText(nodes: readonly PageNode[], visit: Visit): string {
  const address = addressOf(visit);
  let notices = '';
  let lines = '';
  for (const { text, kind } of nodes) {
    const isClicked =
      kind === 'option' ? address.includes(`"${text}"`) : kind === 'product' && visit.opened.includes(text);
    const marked = isClicked ? `[clicked button] ${text} [clicked button_]` : `[button] ${text} [button_]`;
    if (kind === 'text') lines += `${text}\n`;
    else if (kind === 'button') lines += `${marked}\n`;
    else if (kind === 'product') lines += `\n${marked}\n`;
    else {
      lines += `  ${marked}\n`;
      if (isClicked) notices = `You have clicked ${text}.\n${notices}`;
    }
  }
  return notices + lines;
}

const addressOf = ({ page, asin, keywords, number, chosen }: Visit): string =>
  page === 'item' ? `${asin}/${keywords.join('+')}/${number}/${writePythonJson(chosen)}` : '';

/** Our own mode `compact`: a line per product, chosen options between asterisks, buttons in brackets. */
export function compactText(content: PageContent, clickables: readonly string[], pageSize: number): string {
  return [content.instruction, ...compactPage(content, clickables, pageSize)].join('\n');
}

/** The lines of a page in the mode `compact`, without the instruction. */
export function compactPage(
  { visit, product, shown, total }: PageContent,
  clickables: readonly string[],
  pageSize: number,
): readonly string[] {
  const isButton = (text: string): boolean =>
    !shown.some(({ asin }) => asin.toLowerCase() === text) &&
    product?.options.some(({ values }) => values.includes(text)) !== true;
  const buttons = clickables
    .filter(isButton)
    .map((name) => `[${name}]`)
    .join(' ');
  if (visit.page === 'index') return ['Search page.'];
  if (visit.page === 'done') return [`You bought ${visit.asin.toLowerCase()}.`];
  if (visit.page === 'results')
    return [
      `Page ${visit.number} of ${Math.max(1, Math.ceil(total / pageSize))}`,
      ...shown.map((found) => `${found.asin.toLowerCase()}: ${found.title} ${priceTag(found)}`),
      buttons,
    ];
  if (product === undefined) return [buttons];
  if (visit.page === 'item') {
    const chosen = new Map(visit.chosen);
    return [
      `${product.asin.toLowerCase()}: ${product.title} ${priceTag(product)}`,
      ...product.options.map(
        ({ name, values }) =>
          `${name}: ${values.map((value) => (chosen.get(name) === value ? `*${value}*` : value)).join(', ')}`,
      ),
      buttons,
    ];
  }
  const texts = {
    description: [product.description],
    features: product.bullets,
    reviews: [],
    attributes: product.attributes,
  }[visit.sub];
  return [`${product.asin.toLowerCase()}, ${visit.sub}:`, ...texts.filter((line) => line !== ''), buttons];
}
