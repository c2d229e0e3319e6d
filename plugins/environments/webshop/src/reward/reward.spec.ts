import { describe, expect, it } from 'vitest';
import type { Product } from '../catalogue/product.js';
import type { Goal } from '../goals.js';
import { createNounFinder } from './nouns.js';
import { countOptions, scorePurchase } from './reward.js';

const lamp: Product = {
  asin: 'B000000001',
  title: 'Corvane Solid Wood Table Lamp',
  description: 'A lamp with warm light.',
  bullets: ['Energy saving: yes', 'Easy to install'],
  category: 'garden',
  query: 'table lamps',
  path: 'Home › Lighting › Lamps',
  pricing: [30],
  options: [{ name: 'color', values: ['blue', 'light blue', 'white'] }],
  attributes: ['solid wood', 'hand painted'],
  nouns: ['corvane', 'table', 'lamp'],
};

const goal: Goal = {
  product: lamp,
  instruction: 'Find me solid wood table lamps',
  attributes: ['solid wood', 'hand painted'],
  options: [{ name: 'color', value: 'white' }],
  priceUpper: 40,
  human: false,
};

const score = (product: Partial<Product>, chosen: readonly string[], wanted: Partial<Goal> = {}) =>
  scorePurchase({ ...lamp, ...product }, chosen, { ...goal, ...wanted }, createNounFinder());

describe('the score of a purchase', () => {
  // two attributes, one option, the price: four parts
  it.each([
    ['everything right', {}, ['white'], {}, 1],
    ['the option not chosen', {}, [], {}, 3 / 4],
    ['another option', {}, ['blue'], {}, 3 / 4],
    ['too expensive', { pricing: [40.01] }, ['white'], {}, 3 / 4],
    ['exactly the limit', { pricing: [40] }, ['white'], {}, 1],
    ['no limit that can be kept', {}, ['white'], { priceUpper: 0 }, 3 / 4],
    ['one attribute missing', { attributes: ['solid wood'] }, ['white'], {}, 3 / 4],
    [
      'an attribute in the title',
      { attributes: [], title: 'Hand Painted Solid Wood Lamp' },
      ['white'],
      {},
      1,
    ],
    [
      'an attribute across two bullets',
      { attributes: ['solid wood'], bullets: ['By hand', 'painted'] },
      ['white'],
      { attributes: ['solid wood', 'hand painted'] },
      1,
    ],
    ['an attribute in the description', {}, ['white'], { attributes: ['warm light'] }, 1],
    [
      'a similar attribute',
      { attributes: ['essential oils'] },
      ['white'],
      { attributes: ['essential oil'] },
      1,
    ],
    ['a goal without options', {}, [], { options: [] }, 1],
    // price alone is right, of two parts
    ['no attribute', { attributes: [] }, [], { options: [], attributes: ['gluten free'] }, 1 / 2],
  ] as const)('%s', (_, product, chosen, wanted, expected) => {
    expect(score(product, chosen, wanted).total).toBe(expected);
  });

  it.each([
    ['another query, common categories', { query: 'x', path: 'Lamps › Lighting' }, 1],
    ['another query, one common category, a similar title', { query: 'x', path: 'Lamps' }, 1],
    ['a title that shares a fifth', { query: 'x', path: 'y', nouns: ['lamp'] }, 1],
    ['no common noun', { nouns: ['shoe'] }, 0],
    ['no noun of its own', { nouns: [] }, 0],
  ] as const)('type: %s', (_, product, expected) => {
    expect(score(product, ['white']).typeFactor).toBe(expected);
  });

  it('takes half for another type with a little in common, and a tenth for less', () => {
    const ten = Array.from({ length: 10 }, (_, place) => `noun${place}`);
    const other = { query: 'x', path: 'y' };
    const factor = (common: number, nouns: readonly string[], product: Partial<Product> = other) =>
      score({ ...product, nouns: ten.slice(0, common) }, ['white'], { product: { ...lamp, nouns } });
    expect(factor(2, ten)).toMatchObject({ titleScore: 0.2, typeFactor: 0.5 });
    expect(factor(1, ten)).toMatchObject({ titleScore: 0.1, typeFactor: 0.5 });
    expect(factor(1, [...ten, 'more'])).toMatchObject({ titleScore: 1 / 11, typeFactor: 0.1 });
    // equal queries do not help a title that has too little in common
    expect(factor(1, [...ten, 'more'], {})).toMatchObject({ queryMatch: true, typeFactor: 0.1 });
    // a noun that the wanted title repeats counts once above the line, twice below
    expect(factor(1, ['noun0', 'noun0'])).toMatchObject({ titleScore: 0.5 });
    expect(factor(1, [])).toMatchObject({ titleScore: 0.2, typeFactor: 0.5 });
  });

  it('counts options in WebShop’s own way', () => {
    const count = (chosen: readonly string[], name: string, value: string, human = false): number =>
      countOptions(chosen, { options: [{ name, value }], human });
    expect(count(['blue'], 'color', 'light blue')).toBe(1);
    expect(count(['dark blue'], 'color', 'light blue')).toBe(1);
    expect(count(['blue'], 'color', 'navy')).toBe(0);
    expect(count(['r.brown2060'], 'color', 'r.brown2060')).toBe(0);
    expect(count(['r.brown2060'], 'color', 'r.brown2060', true)).toBe(1);
    expect(count(['b17-army\u00a0green'], 'color', 'b17-army\u00a0green')).toBe(0);
    expect(count(['large', 'white'], 'size', 'large')).toBe(1);
    expect(count(['28" x 28"'], 'size', '28" x 28"')).toBe(1);
    expect(count([], 'size', 'large')).toBe(0);
  });

  it('finds the nouns of a title by itself', () => {
    const nounsOf = createNounFinder();
    expect(nounsOf({ title: 'A soft blanket for the quiet evening' })).toEqual(['blanket', 'evening']);
    expect(nounsOf({ title: 'ignored', nouns: ['given'] })).toEqual(['given']);
  });
});
