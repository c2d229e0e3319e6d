/**
 * @file A visit to the shop: where the customer is and what each click does, by the rules of WebShop's server. Nothing here
 * is text for an agent.
 */
import { createStream } from '@espalier/plugin-kit';
import type { Product } from './catalogue/product.js';
import type { Goal } from './goals.js';
import { type RewardParts, scorePurchase } from './reward/reward.js';
import type { Shop } from './shop.js';

export const subPages = ['description', 'features', 'reviews', 'attributes'] as const;
export type SubPage = (typeof subPages)[number];

/** The state of a visit, as plain JSON. */
export interface Visit {
  readonly page: 'index' | 'results' | 'item' | 'sub' | 'done';
  /** the words of the last search; empty before the first */
  readonly keywords: readonly string[];
  /** page of the results, from 1 */
  readonly number: number;
  /** empty where no product is shown */
  readonly asin: string;
  readonly sub: SubPage;
  /** chosen options in the order of their first choice */
  readonly chosen: readonly (readonly [name: string, value: string])[];
  /** products opened since the search page */
  readonly opened: readonly string[];
  /** decides what `<r>` shows */
  readonly seed: number;
  readonly reward: RewardParts | null;
}

export interface VisitOptions {
  /** products on a page of results */
  readonly pageSize: number;
  /** item pages have a page of attributes */
  readonly showAttributes: boolean;
}

/** Most products that a ranked search or `<r>` finds. */
const maxHits = 50;
/** Words of a search beyond this many characters are left out. */
const maxQuery = 1000;

export function startVisit(seed: number): Visit {
  return {
    page: 'index',
    keywords: [],
    number: 1,
    asin: '',
    sub: 'description',
    chosen: [],
    opened: [],
    seed,
    reward: null,
  };
}

/** Searches; possible from any page. */
export function search(visit: Visit, query: string): Visit {
  const keywords = query.slice(0, maxQuery).split(' ');
  return { ...visit, page: 'results', keywords, number: 1, asin: '', chosen: [] };
}

/** Products that the last search found, at most 50; the hooks list without ranking, `<a>`, `<c>` and `<q>` without that limit. */
export function hitsOf({ keywords, seed }: Pick<Visit, 'keywords' | 'seed'>, shop: Shop): readonly Product[] {
  const [hook, ...rest] = keywords;
  const named = rest.join(' ').trim();
  switch (hook) {
    case '<r>':
      return createStream(seed).shuffle(shop.products).slice(0, maxHits);
    case '<a>':
      return shop.products.filter(({ attributes }) => attributes.includes(named));
    case '<c>':
      return shop.products.filter(({ category }) => category === (rest[0] ?? '').trim());
    case '<q>':
      return shop.products.filter(({ query }) => query === named);
    default:
      return shop.index.search(keywords.join(' '), maxHits).map((place) => shop.products[place]!);
  }
}

/** What can be clicked, in the order of the page: buttons, products, option values. */
export function clickablesOf(
  visit: Visit,
  product: Product | undefined,
  shown: readonly Product[],
  { showAttributes }: VisitOptions,
): readonly string[] {
  switch (visit.page) {
    case 'index':
      return ['search'];
    case 'results':
      return [
        ...(visit.number > 1 ? ['back to search', '< prev', 'next >'] : ['back to search', 'next >']),
        ...new Set(shown.map(({ asin }) => asin.toLowerCase())),
      ];
    case 'item':
      return [
        ...new Set([
          'back to search',
          '< prev',
          'description',
          'features',
          'reviews',
          ...(showAttributes ? ['attributes'] : []),
          'buy now',
          ...(product?.options ?? []).flatMap(({ values }) => values),
        ]),
      ];
    case 'sub':
      return ['back to search', '< prev'];
    case 'done':
      return [];
  }
}

/** Clicks something that can be clicked. A button's name wins over an option value that is called the same. */
export function click(
  visit: Visit,
  target: string,
  shop: Shop,
  goal: Goal,
  { showAttributes }: VisitOptions,
): Visit {
  const { page, asin, number, chosen } = visit;
  if (target === 'buy now') {
    const product = shop.byAsin.get(asin);
    if (product === undefined) return visit;
    const values = chosen.map(([, value]) => value);
    return { ...visit, page: 'done', reward: scorePurchase(product, values, goal, shop.nounsOf) };
  }
  if (target === 'back to search') return startVisit(visit.seed);
  if (target === 'next >' && page === 'results') return { ...visit, number: number + 1 };
  if (target === '< prev') {
    if (page === 'results') return { ...visit, number: number - 1 };
    if (page === 'sub') return { ...visit, page: 'item' };
    if (page === 'item') return { ...visit, page: 'results', asin: '', chosen: [] };
  }
  if (page === 'results') {
    const opened = target.toUpperCase();
    if (!shop.byAsin.has(opened)) return visit;
    return { ...visit, page: 'item', asin: opened, opened: [...new Set([...visit.opened, opened])] };
  }
  const sub = subPages.find((name) => name === target && (name !== 'attributes' || showAttributes));
  if (sub !== undefined) return { ...visit, page: 'sub', sub };
  // of options with equal values the last one is chosen
  const option = shop.byAsin.get(asin)?.options.findLast(({ values }) => values.includes(target));
  if (option === undefined) return visit;
  return { ...visit, chosen: [...new Map(chosen).set(option.name, target)] };
}
