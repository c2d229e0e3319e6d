/**
 * @file Plans a purchase that earns the whole reward: search for the words of the task, open the first product that fits,
 * choose its options, buy. Only where no words of the task find such a product, the query is the title of the wanted one,
 * which no page has shown.
 */
import type { Product } from './catalogue/product.js';
import type { Goal } from './goals.js';
import { scorePurchase } from './reward/reward.js';
import { click, hitsOf, search, type Visit, type VisitOptions } from './session.js';
import type { Shop } from './shop.js';

/** Creates the planner for a goal. */
export function createPlanner(shop: Shop, goal: Goal, options: VisitOptions): Planner {
  const { pageSize } = options;
  const fitting = new Map<string, boolean>();
  const fits = (product: Product): boolean => {
    let known = fitting.get(product.asin);
    if (known === undefined) {
      known = isFitting(product, shop, goal, options);
      fitting.set(product.asin, known);
    }
    return known;
  };
  let query: string | undefined;

  /** The first product that fits among those found, and its page of results. */
  const find = (keywords: readonly string[], seed: number): { asin: string; number: number } | undefined => {
    const hits = hitsOf({ keywords, seed }, shop);
    const place = hits.findIndex(fits);
    return place < 0 ? undefined : { asin: hits[place]!.asin, number: Math.floor(place / pageSize) + 1 };
  };

  const plan = (visit: Visit): readonly string[] => {
    if (visit.page === 'done') return [];
    const product = shop.byAsin.get(visit.asin);
    if (product !== undefined && fits(product))
      return [...(visit.page === 'sub' ? ['click[< prev]'] : []), ...purchase(visit, product, goal)];
    const seen = visit.page === 'index' ? undefined : find(visit.keywords, visit.seed);
    if (seen !== undefined && Math.abs(seen.number - visit.number) <= 1) {
      const product = shop.byAsin.get(seen.asin)!;
      const back = visit.page === 'sub' ? 2 : visit.page === 'item' ? 1 : 0;
      const turns = seen.number - visit.number;
      return [
        ...repeat('click[< prev]', back),
        ...repeat(turns > 0 ? 'click[next >]' : 'click[< prev]', Math.abs(turns)),
        `click[${seen.asin.toLowerCase()}]`,
        ...purchase({ ...visit, chosen: [] }, product, goal),
      ];
    }
    query ??= chooseQuery();
    if (query === undefined) return [];
    const start = search(visit, query);
    const found = find(start.keywords, visit.seed)!;
    return [
      ...(visit.page === 'index' ? [] : ['click[back to search]']),
      `search[${query}]`,
      ...repeat('click[next >]', found.number - 1),
      `click[${found.asin.toLowerCase()}]`,
      ...purchase({ ...start, asin: found.asin }, shop.byAsin.get(found.asin)!, goal),
    ];
  };

  /** The first of the task's words that show a fitting product on the earliest page; the title where none shows any. */
  function chooseQuery(): string | undefined {
    let best: { readonly query: string; readonly number: number } | undefined;
    for (const { query: candidate, kind } of queriesOf(goal)) {
      if (best?.number === 1 || (kind === 'title' && best !== undefined)) break;
      const found = find(candidate.split(' '), 0);
      if (found !== undefined && (best === undefined || found.number < best.number))
        best = { query: candidate, number: found.number };
    }
    return best?.query;
  }

  return { plan, fits, kindOf: (text) => queriesOf(goal).find((one) => one.query === text)?.kind };
}

/** Plans purchases for one goal. */
export interface Planner {
  /** actions to the whole reward; empty if there are none */
  readonly plan: (visit: Visit) => readonly string[];
  /** whether buying the product can earn the whole reward */
  readonly fits: (product: Product) => boolean;
  /** which of its queries a text is */
  readonly kindOf: (query: string) => QueryKind | undefined;
}

/** What a query of the planner is: attributes and type, the sentence of the task, or the title of its product. */
export type QueryKind = 'attributes' | 'sentence' | 'title';

const repeat = (action: string, times: number): string[] => Array.from({ length: times }, () => action);

/** The values of a product's options that a goal asks for; undefined where the product lacks one. */
export function wantedOptions(
  product: Product,
  { options }: Goal,
): readonly { readonly name: string; readonly value: string }[] | undefined {
  const wanted = options.map(({ name, value }) => {
    const option = product.options.findLast(
      (own) => (name === '' || own.name === name) && own.values.includes(value),
    );
    return option === undefined ? undefined : { name: option.name, value };
  });
  return wanted.every((option) => option !== undefined) ? wanted : undefined;
}

function isFitting(product: Product, shop: Shop, goal: Goal, options: VisitOptions): boolean {
  const wanted = wantedOptions(product, goal);
  if (wanted === undefined) return false;
  let visit: Visit = { ...search({ ...emptyVisit, page: 'index' }, ''), page: 'item', asin: product.asin };
  for (const { value } of wanted) visit = click(visit, value, shop, goal, options);
  const values = visit.chosen.map(([, value]) => value);
  return visit.page === 'item' && scorePurchase(product, values, goal, shop.nounsOf).total === 1;
}

const emptyVisit: Omit<Visit, 'page'> = {
  keywords: [],
  number: 1,
  asin: '',
  sub: 'description',
  chosen: [],
  opened: [],
  seed: 0,
  reward: null,
};

/** Clicks on what is not chosen yet, then the purchase. */
function purchase({ chosen }: Visit, product: Product, goal: Goal): readonly string[] {
  const has = new Map(chosen);
  return [
    ...(wantedOptions(product, goal) ?? [])
      .filter(({ name, value }) => has.get(name) !== value)
      .map(({ value }) => `click[${value}]`),
    'click[buy now]',
  ];
}

/** Words to search for: the attributes and the type, the sentence of the task, and as a last resort the title. */
function queriesOf({
  product,
  attributes,
  instruction,
  human,
}: Goal): readonly { readonly query: string; readonly kind: QueryKind }[] {
  const words = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}' -]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  const sentence = human ? instruction : (product.instruction?.text ?? instruction);
  const queries: { readonly query: string; readonly kind: QueryKind }[] = [
    { query: human ? '' : words(`${attributes.join(' ')} ${product.query}`), kind: 'attributes' },
    { query: words(sentence.replace(/^find me /i, '')), kind: 'sentence' },
    { query: words(product.title), kind: 'title' },
  ];
  return queries.filter(({ query }) => query !== '');
}
