import { expect, it } from 'vitest';
import { terms } from './terms.js';

it('explains every number in words, once', () => {
  const formulas = [...terms.values()].map(({ formula }) => formula ?? '');
  expect(formulas.filter((formula) => formula.length < 8)).toEqual([]);
  expect(new Set(formulas).size).toBe(formulas.length);
});
