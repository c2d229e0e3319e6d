import { expect, it } from 'vitest';
import { nameColumns } from './name-columns.js';

const bandit = (maxResponseTokens: number, more: object = {}) => ({
  wanted: 'bandit',
  options: { environment: { use: 'bandit' }, rollout: { maxResponseTokens }, ...more },
});
const lake = { wanted: 'lake', options: { environment: { use: 'frozen-lake' } } };

it('names columns by what differs, and only where it must', () => {
  expect(nameColumns([bandit(64), lake, bandit(32)])).toEqual([
    'bandit (maxResponseTokens 64)',
    'lake',
    'bandit (maxResponseTokens 32)',
  ]);
  expect(nameColumns([bandit(64), bandit(32, { validation: { at: 1 } })])[1]).toBe(
    'bandit (maxResponseTokens 32, at 1)',
  );
});

it('numbers columns whose options are alike, as where only the prompt differs', () => {
  expect(nameColumns([bandit(64), bandit(64)])).toEqual(['bandit', 'bandit 2']);
});
