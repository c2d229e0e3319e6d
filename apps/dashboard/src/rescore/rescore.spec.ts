import { maxRescored } from '@espalier/protocol';
import { describe, expect, it } from 'vitest';
import { mostSteps, movedMost, tellSteps, withOption } from './rescore.js';

it('as many steps are offered as the server takes', () => {
  expect(mostSteps(false)).toBe(maxRescored.steps);
  expect(mostSteps(true)).toBe(maxRescored.tokenSteps);
});

describe('rewards in the form', () => {
  const rewards = [{ use: 'format', weight: 1 }, { use: 'length' }];

  it('have an option set, changed, and left out', () => {
    expect(withOption(rewards, 1, ['weight'], 2)).toEqual([rewards[0], { use: 'length', weight: 2 }]);
    expect(withOption(rewards, 0, ['weight'], undefined)).toEqual([{ use: 'format' }, rewards[1]]);
    expect(withOption(rewards, 1, ['limits', 'most'], 3)).toEqual([
      rewards[0],
      { use: 'length', limits: { most: 3 } },
    ]);
  });

  it('are exchanged and taken away as a whole', () => {
    expect(withOption(rewards, 0, [], { use: 'faithfulness' })).toEqual([
      { use: 'faithfulness' },
      rewards[1],
    ]);
    expect(withOption(rewards, 0, [], undefined)).toEqual([rewards[1]]);
  });
});

describe('steps in words', () => {
  it.each([
    [[3], 'step 3'],
    [[0, 1, 2, 5], 'steps 0–2, 5'],
    [[1, 3, 5, 7, 9, 11], 'steps 1, 3, 5, 7, … to 11'],
  ])('tells %j', (steps, words) => expect(tellSteps(steps)).toBe(words));
});

describe('what moved', () => {
  const total = (trajectory: string, stored: number | null, rescored: number | null) => ({
    trajectory,
    stored,
    rescored,
  });

  it('is ordered by how far, without what stayed or has no value', () => {
    const totals = [total('a', 1, 1), total('b', 1, 0.5), total('c', null, 2), total('d', 0, 3)];
    expect(movedMost(totals, 5).map(({ trajectory }) => trajectory)).toEqual(['d', 'b']);
    expect(movedMost(totals, 1)).toHaveLength(1);
    expect(movedMost(null, 5)).toEqual([]);
  });
});
