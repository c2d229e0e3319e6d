/**
 * @file Against WebShop's own data, which may not be published: it is read from the folder that WEBSHOP_DATA names
 * (test/golden/README.md says what it holds).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { type Goal, permuteGoals, splitGoals } from './goals.js';
import { countOptions, scorePurchase } from './reward/reward.js';
import { openShop, type Shop } from './shop.js';
import { goalIndex } from './episode.js';

const folder = process.env['WEBSHOP_DATA'] ?? '';
const file = (name: string): string => join(folder, name);

const read = <T>(path: string): T => JSON.parse(readFileSync(path, 'utf8')) as T;

interface GoldenGoal {
  readonly asin: string;
  readonly instruction_no_price: string;
  readonly goal_options: Readonly<Record<string, string>>;
  readonly attributes: readonly string[];
}

const describeGoal = ({ product, instruction, options, attributes }: Goal): GoldenGoal => ({
  asin: product.asin,
  instruction_no_price: instruction.replace(/, and price lower than [\d.]+ dollars$/, ''),
  goal_options: Object.fromEntries(options.map(({ name, value }) => [name, value])),
  attributes,
});

it('tasks are permuted as by CPython', () => {
  const golden = read<
    Record<'first200' | 'perm_500_to_520' | 'perm_1500_1520', number[]> & { readonly n: number }
  >(join(goldenFolder('webshop'), 'permutation.json'));
  const order = permuteGoals(golden.n);
  expect(order.slice(0, 200)).toEqual(golden.first200);
  expect(order.slice(500, 520)).toEqual(golden.perm_500_to_520);
  expect(order.slice(1500, 1520)).toEqual(golden.perm_1500_1520);
  expect(splitGoals(golden.n)).toEqual({
    test: { first: 0, count: 500 },
    validation: { first: 500, count: 1000 },
    train: { first: 1500, count: 5410 },
  });
});

describe.skipIf(folder === '')('the 1,000 products of WebShop, in the folder WEBSHOP_DATA', () => {
  const open = (): Shop =>
    openShop(
      {
        source: 'files',
        products: file('products_1000.json'),
        attributes: file('items_ins_v2_1000.json'),
      },
      { human: false },
    );

  it('are loaded as WebShop loads them', () => {
    const loaded = read<
      {
        asin: string;
        Title: string;
        pricing: number[];
        Price: string;
        options: Record<string, string[]>;
        Attributes: string[];
        query: string;
      }[]
    >(file('products_loaded_1000.json'));
    expect(
      open().products.map(({ asin, title, pricing, options, attributes, query }) => ({
        asin,
        title,
        pricing,
        options: Object.fromEntries(options.map(({ name, values }) => [name, values])),
        attributes,
        query,
      })),
    ).toEqual(
      loaded.map((product) => ({
        asin: product.asin,
        title: product.Title,
        pricing: product.pricing,
        options: product.options,
        attributes: product.Attributes,
        query: product.query,
      })),
    );
  });

  it('give 6,910 goals in the order of the reference', () => {
    const golden = read<{ n: number; shuffled_first50: GoldenGoal[] }>(file('golden_goal_order.json'));
    const { goals } = open();
    expect(goals).toHaveLength(golden.n);
    expect(goals.slice(0, 50).map(describeGoal)).toEqual(golden.shuffled_first50);
  });

  it('are dealt to seeds as RAGEN deals them', () => {
    const golden = read<Record<'ragen_val_seed123_130' | 'ragen_train_seed10000_10008', GoldenGoal[]>>(
      file('golden_goal_order.json'),
    );
    const shop = open();
    const dealt = (split: 'train' | 'validation', first: number, count: number): GoldenGoal[] =>
      Array.from({ length: count }, (_, place) =>
        describeGoal(shop.goals[goalIndex(shop, first + place, split)]!),
      );
    const { ragen_val_seed123_130: validation, ragen_train_seed10000_10008: train } = golden;
    expect(dealt('validation', 123, validation.length)).toEqual(validation);
    expect(dealt('train', 10_000, train.length)).toEqual(train);
  });

  it('are indexed as by Lucene, but for one term in a thousand', () => {
    const { tokenCount, termCount } = open().index;
    expect({ tokenCount, termCount }).toEqual({ tokenCount: 107_478, termCount: 12_064 });
    // what the reference's own index says of itself
    expect(tokenCount / 107_608).toBeGreaterThan(0.998);
    expect(termCount / 12_074).toBeGreaterThan(0.998);
  });

  it('are found by their own task as often as with BM25 in environments.md 4.4', () => {
    const { index, products } = open();
    const ranks = products.flatMap((product, place) =>
      product.instruction === undefined ? [] : [index.search(product.instruction.text, 50).indexOf(place)],
    );
    const within = (most: number): number =>
      ranks.filter((rank) => rank >= 0 && rank < most).length / ranks.length;
    expect(ranks).toHaveLength(415);
    expect(within(10)).toBeCloseTo(0.764, 3);
    expect(within(50)).toBeCloseTo(0.935, 3);
  });

  it('have 458 goals whose own options do not count', () => {
    const { goals } = open();
    const withOptions = goals.filter(({ options }) => options.length > 0);
    const lost = withOptions.filter(
      (goal) =>
        countOptions(
          goal.options.map(({ value }) => value),
          goal,
        ) < goal.options.length,
    );
    expect(withOptions).toHaveLength(6725);
    expect(lost).toHaveLength(458);
  });

  it('score 600 purchases as WebShop’s rules do with its own library', () => {
    type Row = [goal: number, values: number[], bought: number, picks: [number, number][], scores: number[]];
    const rows = read<Row[]>(join(goldenFolder('webshop'), 'purchases.json'));
    const { products } = open();
    const scored = rows.map(([wanted, values, bought, picks]) => {
      const product = products[wanted]!;
      const sorted = product.options.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      const goal: Goal = {
        product,
        instruction: '',
        attributes: product.instruction!.attributes,
        options: sorted.map(({ name, values: all }, place) => ({ name, value: all[values[place]!]! })),
        priceUpper: 1,
        human: false,
      };
      const { options } = products[bought]!;
      const chosen = picks.map(([option, value]) => options[option]!.values[value]!);
      const parts = scorePurchase(products[bought]!, chosen, goal, () => []);
      return [parts.attributes, parts.options, Number(parts.queryMatch), Number(parts.categoryMatch)];
    });
    expect(scored).toEqual(rows.map(([, , , , scores]) => scores));
  });

  it('have the 13 tasks that people wrote', () => {
    const shop = openShop(
      {
        source: 'files',
        products: file('products_1000.json'),
        attributes: file('items_ins_v2_1000.json'),
        human: file('human_instructions_13.json'),
      },
      { human: true },
    );
    const tasks = Object.values(
      read<Record<string, { instruction_attributes: string[] }[]>>(file('human_instructions_13.json')),
    );
    expect(shop.goals).toHaveLength(
      tasks.flat().filter(({ instruction_attributes }) => instruction_attributes.length > 0).length,
    );
    expect(shop.goals.every(({ human, instruction }) => human && !instruction.includes('.,'))).toBe(true);
  });
});
