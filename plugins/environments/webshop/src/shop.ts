/** @file A shop: products, what finds them, and the goals of its customers. Built once and shared by all instances. */
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
  | ({ readonly source: 'generated' } & GeneratedCatalogue)
  | ({ readonly source: 'files' } & WebShopFiles);

/** How many shops a process keeps; a run needs one for each set of options. */
const kept = 4;
interface Opening {
  readonly source: CatalogueSource;
  readonly goals: GoalOptions;
}

const open = data.openOnce(
  ({ source, goals }: Opening): Shop =>
    // files give the goals of WebShop, which repeats some
    source.source === 'files'
      ? buildShop(readCatalogue(source), goals)
      : buildShop(generateCatalogue(source), { ...goals, isDistinct: true }),
  ({ source }) => (source.source === 'files' ? filesOf(source) : []),
  kept,
);

/** Opens the shop of a catalogue. */
export const openShop = (source: CatalogueSource, goals: GoalOptions): Shop => open({ source, goals });

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

const filesOf = ({ products, attributes, human }: WebShopFiles): string[] =>
  [products, attributes, human].filter((file) => file !== undefined);
