/** @file A product as the shop knows it, whether it was read from WebShop's files or generated. */
import { createStream, deriveSeed } from '@espalier/plugin-kit';

/** A choice that a product offers, such as its colour. */
export interface ProductOption {
  readonly name: string;
  readonly values: readonly string[];
}

/** A task that a person wrote for a product. */
export interface HumanInstruction {
  readonly text: string;
  readonly attributes: readonly string[];
  readonly options: readonly string[];
}

/** The task that WebShop's generator wrote for a product. */
export interface SyntheticInstruction {
  readonly text: string;
  readonly attributes: readonly string[];
}

export interface Product {
  readonly asin: string;
  readonly title: string;
  readonly description: string;
  readonly bullets: readonly string[];
  readonly category: string;
  /** type of product, such as `console tables` */
  readonly query: string;
  /** the path of categories, joined by ` › ` */
  readonly path: string;
  /** one price, or the ends of a range */
  readonly pricing: readonly number[];
  /** in the order of the product; names and values in lower case */
  readonly options: readonly ProductOption[];
  readonly attributes: readonly string[];
  readonly instruction?: SyntheticInstruction;
  readonly human?: readonly HumanInstruction[];
  /** nouns of the title in lower case; found by a tagger where they are not given */
  readonly nouns?: readonly string[];
}

/** Writes a number as Python does: `10.0`, `24.99`. */
export function writeFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The price that a page shows: `$24.99`, or `$10.0 to $20.0`. */
export function priceTag({ pricing: [low = 100, high] }: Pick<Product, 'pricing'>): string {
  return high === undefined ? `$${writeFloat(low)}` : `$${writeFloat(low)} to $${writeFloat(high)}`;
}

/**
 * The price that is paid. Of a range it is a number between its ends, drawn by the product's id; WebShop draws it anew in
 * each process.
 */
export function priceOf({ asin, pricing: [low = 100, high] }: Pick<Product, 'asin' | 'pricing'>): number {
  if (high === undefined) return low;
  return low + (high - low) * createStream(deriveSeed('webshop', 'price', asin)).next();
}

/** What the search engine reads of a product: title, description, first bullet, options. */
export function searchText({ title, description, bullets, options }: Product): string {
  const choices = options.map(({ name, values }) => `${name}: ${values.join(', ')}`).join(', and ');
  return [title, description, bullets[0] ?? '', choices].join(' ').toLowerCase();
}
