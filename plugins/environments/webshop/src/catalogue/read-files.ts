/** @file Reads WebShop's own files: products, attributes with generated tasks, and tasks that people wrote. */
import { data } from '@espalier/plugin-kit';
import {
  type Parsed,
  parseAttributes,
  parseHuman,
  parseProduct,
  type ProductAttributes,
} from './parse-product.js';
import type { HumanInstruction, Product } from './product.js';

/** Paths of WebShop's files. */
export interface WebShopFiles {
  /** such as `items_shuffle_1000.json` */
  readonly products: string;
  /** such as `items_ins_v2_1000.json` */
  readonly attributes: string;
  /** such as `items_human_ins.json` */
  readonly human?: string | undefined;
  /** how many products to read; all of them if absent */
  readonly count?: number | undefined;
}

/** What WebShop gives a product that its attributes file does not list. */
const unknownAttributes: readonly string[] = ['DUMMY_ATTR'];

/** Reads a catalogue. @throws plugin.failed that names the file and the place of what cannot be used */
export function readCatalogue(files: WebShopFiles): readonly Product[] {
  const attributes = readEntries(files.attributes, parseAttributes);
  const human =
    files.human === undefined
      ? new Map<string, readonly HumanInstruction[]>()
      : readEntries(files.human, parseHuman);
  const products: Product[] = [];
  const seen = new Set<string>();
  let read = 0;
  for (const { value, place } of data.readElements(files.products, 'array')) {
    if (files.count !== undefined && read >= files.count) break;
    read++;
    const product = take(parseProduct(value, seen), files.products, place);
    if (product === undefined) continue;
    seen.add(product.asin);
    const known: ProductAttributes = attributes.get(product.asin) ?? {};
    const instructions = human.get(product.asin);
    products.push({
      ...product,
      attributes: known.attributes ?? unknownAttributes,
      ...(known.instruction !== undefined && { instruction: known.instruction }),
      ...(instructions !== undefined && { human: instructions }),
    });
  }
  if (products.length === 0)
    throw data.invalidData(
      files.products,
      'its end',
      'has no product; give a file of WebShop with at least one',
    );
  return products;
}

function readEntries<T>(file: string, parse: (raw: unknown) => Parsed<T>): ReadonlyMap<string, T> {
  const entries = new Map<string, T>();
  for (const { key = '', value, place } of data.readElements(file, 'object'))
    entries.set(key, take(parse(value), file, place));
  return entries;
}

function take<T>(parsed: Parsed<T>, file: string, place: string): T {
  if ('finding' in parsed) throw data.invalidData(file, place, parsed.finding);
  return parsed.value;
}
