/** @file A shop: products, what finds them, and the goals of its customers. Built once and shared by all instances. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { data } from '@espalier/plugin-kit';
import { generateCatalogue, type GeneratedCatalogue } from './catalogue/generate.js';
import { type Product, searchText } from './catalogue/product.js';
import { readCatalogue, type WebShopFiles } from './catalogue/read-files.js';
import { type Goal, type GoalOptions, makeGoals, permuteGoals } from './goals.js';
import { createNounFinder, type NounFinder } from './reward/nouns.js';

export interface Shop {
  readonly products: readonly Product[];
  readonly byAsin: ReadonlyMap<string, Product>;
  readonly index: data.SearchIndex;
  readonly goals: readonly Goal[];
  /** place in a split's order → goal */
  readonly order: readonly number[];
  readonly nounsOf: NounFinder;
}

/** Where the products come from. */
export type CatalogueSource =
  ({ readonly source: 'generated' } & GeneratedCatalogue) | ({ readonly source: 'files' } & WebShopFiles);

/** How many shops a process keeps; a run needs one for each set of options. */
const kept = 4;
const shops = new Map<string, Shop>();

/** Opens the shop of a catalogue; the second time it is at hand, unless its files have changed. */
export function openShop(source: CatalogueSource, goals: GoalOptions): Shop {
  const key = JSON.stringify([source, goals, source.source === 'files' ? stampsOf(source) : []]);
  const known = shops.get(key);
  if (known !== undefined) return known;
  // files give the goals of WebShop, which repeats some
  const shop =
    source.source === 'files'
      ? buildShop(readCatalogue(source), goals)
      : buildShop(generateCatalogue(source), { ...goals, isDistinct: true });
  const [oldest] = shops.keys();
  if (shops.size >= kept && oldest !== undefined) shops.delete(oldest);
  shops.set(key, shop);
  return shop;
}

/** Builds a shop of these products. */
export function buildShop(products: readonly Product[], options: GoalOptions): Shop {
  const goals = makeGoals(products, options);
  return {
    products,
    byAsin: new Map(products.map((product) => [product.asin, product])),
    index: data.buildSearchIndex(
      (function* () {
        for (const product of products) yield searchText(product);
      })(),
      products.map(({ asin }) => asin),
    ),
    goals,
    order: permuteGoals(goals.length),
    nounsOf: createNounFinder(),
  };
}

/** Size and time of each file; reading reports what is missing. */
function stampsOf({ products, attributes, human }: WebShopFiles): readonly unknown[] {
  return [products, attributes, human].map((file) => {
    const stats = file === undefined ? undefined : statSync(resolve(file), { throwIfNoEntry: false });
    return stats === undefined ? [] : [stats.size, stats.mtimeMs];
  });
}
