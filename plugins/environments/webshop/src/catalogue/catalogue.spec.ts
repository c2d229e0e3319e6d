import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { makeGoals } from '../goals.js';
import { generateCatalogue } from './generate.js';
import type { Product } from './product.js';
import { readCatalogue } from './read-files.js';

const folder = mkdtempSync(join(tmpdir(), 'webshop-'));
afterAll(() => rmSync(folder, { recursive: true }));

const product = {
  asin: 'B000000001',
  name: 'Wooden Lamp',
  full_description: '',
  small_description: ['one', 'two'],
  category: 'garden',
  query: ' Table Lamps ',
  product_category: 'Home › Lamps',
  pricing: '$10.99$18.34',
  customization_options: { Color: [{ value: ' Red/Blue ' }, { value: 'White' }], Size: null },
};
const attributes = {
  B000000001: {
    attributes: ['solid wood'],
    instruction: 'Find me solid wood lamps',
    instruction_attributes: ['solid wood'],
  },
};

let number = 0;
const write = (content: unknown): string => {
  const path = join(folder, `${++number}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const read = (products: unknown, described: unknown = attributes): readonly Product[] =>
  readCatalogue({ products: write(products), attributes: write(described) });

describe('files of WebShop', () => {
  it('are read as its loader reads them', () => {
    const [only, ...others] = read([
      product,
      { ...product, name: 'the same id again' },
      { ...product, asin: 'nan' },
      { ...product, asin: 'B0000000012' },
      // nothing else of a record that is left out is looked at
      { asin: product.asin, pricing: '$x' },
      { asin: 'nan' },
      { asin: 'B0000000012', name: 7 },
    ]);
    expect(others).toEqual([]);
    expect(only).toEqual({
      asin: 'B000000001',
      title: 'Wooden Lamp',
      description: '',
      bullets: ['one', 'two'],
      category: 'garden',
      query: 'table lamps',
      path: 'Home › Lamps',
      pricing: [10.99, 18.34],
      options: [{ name: 'color', values: ['red | blue', 'white'] }],
      attributes: ['solid wood'],
      instruction: { text: 'Find me solid wood lamps', attributes: ['solid wood'] },
    });
  });

  it.each([
    ['', [100]],
    [null, [100]],
    ['no price', [100]],
    ['$1,299.00', [1299]],
    ['$5$6$7', [5, 6]],
  ])('price %j', (pricing, expected) => {
    expect(read([{ ...product, pricing }])[0]!.pricing).toEqual(expected);
  });

  it('may be larger than what is read at once', () => {
    const many = Array.from({ length: 3000 }, (_, place) => ({
      ...product,
      asin: `B${place}`,
      full_description: 'Ä "quoted" [text] {with} \\ brackets, '.repeat(20),
    }));
    expect(read(many)).toHaveLength(3000);
    expect(readCatalogue({ products: write(many), attributes: write({}), count: 7 })).toHaveLength(7);
  });

  it.each<[string, unknown, unknown, RegExp]>([
    [
      'a missing field',
      [product, { ...product, asin: 'B000000002', name: undefined }],
      {},
      /item 2: name: .*expected string/,
    ],
    [
      'options that are no list',
      [{ ...product, customization_options: { Color: 'red' } }],
      {},
      /item 1: customization_options\.Color: .*expected array/,
    ],
    [
      'an option without a value',
      [{ ...product, customization_options: { Color: [{}] } }],
      {},
      /item 1: customization_options\.Color\.0\.value: .*expected string/,
    ],
    ['a price that is none', [{ ...product, pricing: '$x' }], {}, /item 1: pricing/],
    ['a record that is none', [7], {}, /item 1: .*expected object/],
    [
      'JSON that cannot be read',
      '[{"asin": "secret" "x"}]',
      {},
      /item 1: is not JSON \(it ends at character 23\)/,
    ],
    [
      'JSON that cannot be read behind other items',
      '[{"asin": "nan"}, {"asin"}]',
      {},
      /item 2: is not JSON \(it ends at character 26\)/,
    ],
    ['a file that is cut off', '[{"asin": "B', {}, /item 1: the file ends in the middle/],
    ['an empty file', '', {}, /the file is empty/],
    ['no array', { a: 1 }, {}, /character 1: expected a JSON array/],
    ['text behind the end', '[] []', {}, /character 4: there is more after the end/],
    ['mixed brackets', '[{"a": 1]', {}, /character \d+: |ends in the middle/],
    ['no product', [], {}, /has no product/],
    [
      'attributes that are no list',
      [product],
      { B000000001: { attributes: 'wood' } },
      /"B000000001": attributes: .*expected array/,
    ],
    [
      'a task without attributes',
      [product],
      { B000000001: { instruction: 'Find me' } },
      /"B000000001": has an instruction without/,
    ],
  ])('%s is an error that names file and place', (_, products, described, message) => {
    let thrown: unknown;
    try {
      read(products, described);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({
      code: 'plugin.failed',
      message: expect.stringMatching(message) as string,
    });
    expect((thrown as Error).message).toContain(folder);
    expect((thrown as Error).message).not.toContain('secret');
    expect((thrown as { details: unknown }).details).toMatchObject({
      file: expect.stringContaining(folder) as string,
    });
  });

  it('that are not there are an error', () => {
    expect(() => readCatalogue({ products: join(folder, 'none.json'), attributes: write({}) })).toThrow(
      /none\.json.*ENOENT/,
    );
  });
});

describe('the generated catalogue', () => {
  const full = generateCatalogue({ seed: 0, products: 1000, style: 'full' });

  it('is the same for the same seed', () => {
    expect(generateCatalogue({ seed: 0, products: 1000, style: 'full' })).toEqual(full);
    expect(generateCatalogue({ seed: 1, products: 1000, style: 'full' })).not.toEqual(full);
  });

  it('looks like WebShop’s', () => {
    const share = (is: (product: Product) => boolean): number => full.filter(is).length / full.length;
    const mean = (of: (product: Product) => number): number =>
      full.reduce((sum, product) => sum + of(product), 0) / full.length;
    expect(full).toHaveLength(1000);
    expect(new Set(full.map(({ asin }) => asin)).size).toBe(1000);
    expect(full.every(({ asin }) => /^B0[A-Z0-9]{8}$/.test(asin))).toBe(true);
    expect(new Set(full.map(({ category }) => category)).size).toBe(5);
    expect(share(({ options }) => options.length > 0)).toBeCloseTo(0.48, 1);
    expect(share(({ description }) => description === '')).toBeCloseTo(1 / 3, 1);
    expect(share(({ instruction }) => instruction !== undefined)).toBeCloseTo(0.41, 1);
    expect(mean(({ title }) => title.length)).toBeGreaterThan(95);
    expect(mean(({ bullets }) => bullets.length)).toBeGreaterThan(3.5);
    expect(full.some(({ pricing }) => pricing.length === 2)).toBe(true);
  });

  it('has families that differ in little', () => {
    const families = new Map<string, Product[]>();
    for (const member of full) families.set(member.query, [...(families.get(member.query) ?? []), member]);
    expect(new Set(full.map(({ query }) => query)).size).toBeGreaterThanOrEqual(200);
    const sizes = [...families.values()].map(({ length }) => length);
    expect(sizes.filter((size) => size >= 4 && size <= 8).length / sizes.length).toBeGreaterThan(0.9);
    // a member has all attributes of the first but one
    const attributes = (member: Product): ReadonlySet<string> => new Set(member.attributes);
    const close = [...families.values()].filter((members) =>
      members.some((first) =>
        members.every(
          (other) => [...attributes(first)].filter((one) => !attributes(other).has(one)).length <= 1,
        ),
      ),
    );
    expect(close.length / families.size).toBeGreaterThan(0.9);
  });

  it('has goals enough, none of them twice', () => {
    for (const style of ['full', 'short'] as const) {
      const goals = makeGoals(generateCatalogue({ seed: 0, products: 1000, style }), {
        human: false,
        isDistinct: true,
      });
      expect(goals.length).toBeGreaterThan(2000);
      const distinct = new Set(goals.map(({ product: { asin }, options }) => asin + JSON.stringify(options)));
      expect(distinct.size).toBe(goals.length);
      expect(new Set(goals.map(({ instruction }) => instruction)).size).toBe(goals.length);
    }
  });
});
