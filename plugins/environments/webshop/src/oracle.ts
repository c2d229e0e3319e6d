/**
 * @file Plans a purchase that earns the whole reward: search for the words of the task, open the first product that fits,
 * choose its options, buy. The query and the choice follow from what is shown.
 */
import type { Product } from './catalogue/product.js';
import type { Goal } from './goals.js';
import { scorePurchase } from './reward/reward.js';
import { click, hitsOf, search, type Visit } from './session.js';
import type { Shop } from './shop.js';

/** Creates the planner for a goal. */
export function createPlanner(shop: Shop, goal: Goal, pageSize: number): Planner {
  const fitting = new Map<string, boolean>();
  const fits = (product: Product): boolean => {
    let known = fitting.get(product.asin);
    if (known === undefined) {
      known = isFitting(product, shop, goal);
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

  /** The shortest of the task's words that show a fitting product on the first page, or else on an early one. */
  function chooseQuery(): string | undefined {
    let best: { readonly query: string; readonly number: number } | undefined;
    for (const candidate of queriesOf(goal)) {
      const found = find(candidate.split(' '), 0);
      if (found !== undefined && (best === undefined || found.number < best.number))
        best = { query: candidate, number: found.number };
      if (best?.number === 1) break;
    }
    return best?.query;
  }

  return { plan, fits };
}

/** Plans purchases for one goal. */
export interface Planner {
  /** actions to the whole reward; empty if there are none */
  readonly plan: (visit: Visit) => readonly string[];
  /** whether buying the product can earn the whole reward */
  readonly fits: (product: Product) => boolean;
}

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

function isFitting(product: Product, shop: Shop, goal: Goal): boolean {
  const wanted = wantedOptions(product, goal);
  if (wanted === undefined) return false;
  let visit: Visit = { ...search({ ...emptyVisit, page: 'index' }, ''), page: 'item', asin: product.asin };
  for (const { value } of wanted) visit = click(visit, value, shop, goal);
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
function queriesOf({ product, attributes, instruction, human }: Goal): readonly string[] {
  const words = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}' -]+/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim();
  return [
    ...(human ? [] : [words(`${attributes.join(' ')} ${product.query}`)]),
    words((human ? instruction : (product.instruction?.text ?? instruction)).replace(/^find me /i, '')),
    words(product.title),
  ].filter((query) => query !== '');
}
