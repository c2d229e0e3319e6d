/** @file The tasks of a shop: which product, which attributes and options, at most what price, in which words. */
import { AppError, createStream, deriveSeed, PythonRandom } from '@espalier/plugin-kit';
import { priceOf, type Product } from './catalogue/product.js';

/** An option that a goal asks for; goals that people wrote name no option, only its value. */
export interface GoalOption {
  readonly name: string;
  readonly value: string;
}

export interface Goal {
  readonly product: Product;
  readonly instruction: string;
  readonly attributes: readonly string[];
  readonly options: readonly GoalOption[];
  readonly priceUpper: number;
  /** written by a person */
  readonly human: boolean;
}

export interface GoalOptions {
  readonly human: boolean;
  /** how many goals to draw; all of them if absent */
  readonly limit?: number | undefined;
  /** leave out goals in the words of an earlier one, so that no split has a task of another */
  readonly isDistinct?: boolean;
}

/** A price above which nothing is; such a goal says nothing about prices. */
const noLimit = 1_000_000;

/** Makes the goals of a catalogue in WebShop's order. @throws plugin.failed where there is none */
export function makeGoals(
  products: readonly Product[],
  { human, limit, isDistinct = false }: GoalOptions,
): readonly Goal[] {
  const all = products.flatMap(human ? humanGoals : syntheticGoals);
  const goals = isDistinct ? firstOfEach(all) : all;
  if (goals.length === 0)
    throw new AppError(
      'plugin.failed',
      `make goals: no product has ${human ? 'an instruction by a person; give the file `human`' : 'an instruction'}, or set \`goals\``,
    );
  const random = new PythonRandom(233);
  random.shuffle(goals);
  return limit === undefined || limit >= goals.length ? goals : drawGoals(goals, limit, human, random);
}

/** Of goals in the same words the first. */
function firstOfEach(goals: readonly Goal[]): Goal[] {
  const words = new Set<string>();
  return goals.filter(({ instruction }) => {
    const isNew = !words.has(instruction);
    words.add(instruction);
    return isNew;
  });
}

/** One goal for each combination of option values, names in alphabetical order. */
function syntheticGoals(product: Product): Goal[] {
  const { instruction, options } = product;
  if (instruction === undefined) return [];
  const { priceUpper, priceText } = priceLimit(product, 0);
  const sorted = options.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  let combinations: GoalOption[][] = [[]];
  for (const { name, values } of sorted)
    combinations = combinations.flatMap((chosen) => values.map((value) => [...chosen, { name, value }]));
  return combinations.map((chosen) => {
    const wanted = chosen.map(({ name, value }) => `${name}: ${value}`).join(', and ');
    return {
      product,
      instruction: `${instruction.text}${wanted === '' ? '' : ` with ${wanted}`}${priceText}`,
      attributes: instruction.attributes,
      options: chosen,
      priceUpper,
      human: false,
    };
  });
}

function humanGoals(product: Product): Goal[] {
  return (product.human ?? []).flatMap(({ text, attributes, options }, place) => {
    if (attributes.length === 0) return [];
    const { priceUpper, priceText } = priceLimit(product, place);
    return [
      {
        product,
        instruction: `${withoutDots(text)}${priceText}`,
        attributes,
        options: options.map((value) => ({ name: '', value })),
        priceUpper,
        human: true,
      },
    ];
  });
}

/** A sentence without full stops at its ends. */
function withoutDots(text: string): string {
  let start = 0;
  let end = text.length;
  while (text[start] === '.') start++;
  while (end > start && text[end - 1] === '.') end--;
  return text.slice(start, end);
}

/**
 * The price that a goal allows: of the next four tens above the product's price, the larger of two. WebShop draws them
 * anew in each process; here the product's id decides.
 */
function priceLimit(product: Product, place: number): { priceUpper: number; priceText: string } {
  const price = priceOf(product);
  const tens = Array.from({ length: 99 }, (_, index) => 10 * (index + 1))
    .filter((ten) => ten > price)
    .slice(0, 4);
  if (tens.length < 2) return { priceUpper: noLimit, priceText: '' };
  const [first = 0, second = 0] = createStream(
    deriveSeed('webshop', 'price limit', product.asin, place),
  ).shuffle(tens);
  const priceUpper = Math.max(first, second);
  return { priceUpper, priceText: `, and price lower than ${priceUpper.toFixed(2)} dollars` };
}

/**
 * Draws goals by weight, as WebShop's `limit_goals`: rare attributes weigh more, and the index is one too high, so that the
 * first goal is never drawn and the last takes what remains.
 */
function drawGoals(goals: readonly Goal[], limit: number, human: boolean, random: PythonRandom): Goal[] {
  const counts = new Map<string, number>();
  for (const { attributes } of goals)
    for (const attribute of attributes) counts.set(attribute, (counts.get(attribute) ?? 0) + 1);
  const ends: number[] = [0];
  for (const { attributes } of goals) {
    const weight = human
      ? 1
      : attributes.reduce((sum, attribute) => sum + 1 / counts.get(attribute)!, 0) / attributes.length;
    ends.push(ends.at(-1)! + weight);
  }
  // the first goal cannot be drawn, so a limit of all but one is the highest that ends
  const drawn = new Set<number>();
  while (drawn.size < Math.min(limit, goals.length - 1)) {
    const position = ends.at(-1)! * random.random();
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (position < ends[middle]!) high = middle;
      else low = middle + 1;
    }
    drawn.add(Math.min(low, ends.length - 2));
  }
  return [...drawn].map((index) => goals[index]!);
}

type SplitName = 'train' | 'validation' | 'test';

/** Goals of RAGEN's test and validation; what is over is training. */
const heldOut = { test: 500, validation: 1000 } as const;

/** With this many goals each split has one. */
export const fewestGoals = 6;

/** The goals of each split: disjoint places in the order of RAGEN's permutation. */
export function splitGoals(count: number): Readonly<Record<SplitName, { first: number; count: number }>> {
  const isLarge = count > heldOut.test + heldOut.validation;
  const test = isLarge ? heldOut.test : Math.floor(count / fewestGoals);
  const validation = isLarge ? heldOut.validation : Math.floor(count / fewestGoals);
  return {
    test: { first: 0, count: test },
    validation: { first: test, count: validation },
    train: { first: test + validation, count: count - test - validation },
  };
}

/** RAGEN's permutation of goals: place → goal. */
export function permuteGoals(count: number): readonly number[] {
  const order = Array.from({ length: count }, (_, place) => place);
  new PythonRandom(42).shuffle(order);
  return order;
}
