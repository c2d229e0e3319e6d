/**
 * @file A catalogue made from a seed; its texts, makers and products are our own. Products come in families of one type
 * whose members differ in one attribute, one option, or the price: finding the right one takes reading.
 */
import { createStream, deriveSeed, type RandomStream } from '@espalier/plugin-kit';
import {
  type Aisle,
  brands,
  bulletSentences,
  type Department,
  departments,
  occasions,
  optionValues,
  sentences,
  shownNames,
} from './departments.js';
import type { Product, ProductOption } from './product.js';
import { generateShort } from './generate-short.js';

export interface GeneratedCatalogue {
  readonly seed: number;
  readonly products: number;
  /** `full`: texts as long as WebShop's; `short`: a few words, for small models */
  readonly style: 'full' | 'short';
}

/** Share of the products with a task, as in WebShop's 1,000. */
const taskShare = 0.41;
const optionShare = 0.48;

/** Makes a catalogue; the same options give the same products. */
export function generateCatalogue({ seed, products: count, style }: GeneratedCatalogue): readonly Product[] {
  if (style === 'short') return generateShort(seed, count);
  const stream = createStream(deriveSeed('webshop', 'catalogue', seed));
  const types = stream.shuffle(
    departments.flatMap((department) =>
      department.aisles.flatMap((aisle) => aisle.types.map((type) => ({ department, aisle, type }))),
    ),
  );
  const products: Product[] = [];
  const ids = new Set<string>();
  for (let round = 0; products.length < count; round++) {
    const { department, aisle, type } = types[round % types.length]!;
    // four members, some up to eight: a thousand products are of more than 200 types
    const size = stream.next() < 0.8 ? 4 : 5 + stream.int(4);
    for (const product of makeFamily(stream, department, aisle, type, size))
      if (products.length < count) products.push({ ...product, asin: drawId(stream, ids) });
  }
  return stream.shuffle(products);
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** An id of ten characters that no other product has. */
function drawId(stream: RandomStream, ids: Set<string>): string {
  for (;;) {
    let id = 'B0';
    while (id.length < 10) id += letters[stream.int(letters.length)];
    if (ids.has(id)) continue;
    ids.add(id);
    return id;
  }
}

type Unnamed = Omit<Product, 'asin'>;

function makeFamily(
  stream: RandomStream,
  department: Department,
  aisle: Aisle,
  type: string,
  size: number,
): Unnamed[] {
  const brand = stream.pick(brands);
  const occasion = stream.pick(occasions);
  const phrases = stream.shuffle(aisle.attributes);
  const base = phrases.slice(0, 3 + stream.int(4));
  const spare = phrases.slice(base.length);
  const options = stream.next() < optionShare ? makeOptions(stream, aisle) : [];
  const price = aisle.price[0] + stream.next() * (aisle.price[1] - aisle.price[0]);
  return Array.from({ length: size }, (_, member) => {
    // each member swaps another of the family's attributes, so that no two have the same ones
    const place = member % base.length;
    const own = member === 0 ? base : base.with(place, spare[member % spare.length]!);
    const special = member === 0 ? base[0]! : own[place]!;
    const wanted = [special, ...stream.shuffle(own.filter((phrase) => phrase !== special))];
    const task =
      stream.next() < taskShare ? wanted.slice(0, 2 + stream.int(Math.min(3, own.length - 1))) : [];
    return {
      title: writeTitle(stream, brand, own, type, occasion),
      ...writeTexts(stream, own, type),
      category: department.category,
      query: type,
      path: [department.path, aisle.name, capitalise(type), ...(member % 2 === 0 ? [] : [brand])].join(' › '),
      pricing: drawPricing(stream, price * (0.8 + 0.4 * stream.next())),
      options: member % 3 === 2 ? varyOptions(stream, options) : options,
      attributes: own,
      nouns: nounsOf(brand, type),
      ...(task.length > 0 && { instruction: { text: writeTask(type, task), attributes: task } }),
    };
  });
}

/** What a tagger finds in most titles: the maker and the type. */
const nounsOf = (brand: string, type: string): readonly string[] =>
  `${brand} ${type}`.toLowerCase().split(/[ &]+/);

function makeOptions(stream: RandomStream, { options }: Aisle): readonly ProductOption[] {
  const names = stream.shuffle(options).slice(0, stream.next() < 0.75 ? 2 : 1);
  const shown = new Map<string, ProductOption>();
  for (const option of names) {
    const name = shownNames[option] ?? option;
    const all: readonly string[] = optionValues[option];
    const most = Math.min(all.length, 8);
    const kept = new Set(stream.shuffle(all).slice(0, 2 + stream.int(most - 1)));
    shown.set(name, { name, values: all.filter((value) => kept.has(value)) });
  }
  return [...shown.values()];
}

/** The options of a member: one value less, where there are several. */
function varyOptions(stream: RandomStream, options: readonly ProductOption[]): readonly ProductOption[] {
  if (options.length === 0) return options;
  const place = stream.int(options.length);
  const { name, values } = options[place]!;
  if (values.length < 2) return options;
  const lost = stream.int(values.length);
  return options.with(place, { name, values: values.filter((_, index) => index !== lost) });
}

/** One price for most products, a range for some, WebShop's 100 for those without. */
function drawPricing(stream: RandomStream, price: number): readonly number[] {
  const kind = stream.next();
  const cents = (value: number): number => Math.max(1, Math.floor(value)) + 0.99;
  if (kind < 0.09) return [100];
  return kind < 0.18 ? [cents(price), cents(price * 1.4) + 1] : [cents(price)];
}

function writeTitle(
  stream: RandomStream,
  brand: string,
  attributes: readonly string[],
  type: string,
  occasion: string,
): string {
  const shown = stream
    .shuffle(attributes)
    .slice(0, 5)
    .map((phrase) => capitalise(phrase));
  const [first = '', ...others] = shown;
  return `${brand} ${first} ${capitalise(type)}, ${others.join(', ')}, ${occasion}`;
}

/** Description and bullets; every attribute is in a bullet, a third of the products have no description. */
function writeTexts(
  stream: RandomStream,
  attributes: readonly string[],
  type: string,
): Pick<Product, 'description' | 'bullets'> {
  const [first = '', second = first] = stream.shuffle(attributes);
  const fill = (sentence: string): string =>
    sentence.replace('{type}', type).replace('{first}', first).replace('{second}', second);
  const description = stream.next() < 1 / 3 ? '' : stream.shuffle(sentences).slice(0, 5).map(fill).join(' ');
  const bullets = attributes.map((attribute) =>
    capitalise(stream.pick(bulletSentences).replace('{attribute}', attribute), true),
  );
  return { description, bullets };
}

/** The task in the words of WebShop's generator. */
function writeTask(type: string, attributes: readonly string[]): string {
  const before = attributes.slice(0, Math.ceil(attributes.length / 2));
  const after = attributes.slice(before.length);
  return `Find me ${before.join(', ')} ${type}${after.length === 0 ? '' : ` with ${after.join(', ')}`}`;
}

function capitalise(text: string, onlyFirst = false): string {
  return text.replace(onlyFirst ? /^\p{L}/u : /(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase());
}
