import { ruleNames } from '@espalier/contracts/health';
import { describe, expect, it } from 'vitest';
import {
  choiceOfRule,
  type ExampleBody,
  exampleQuantities,
  type ExampleRow,
  measureExamples,
  toExampleBody,
  wordPairs,
} from './example-quantities.js';

const row = (id: string, more: Partial<ExampleRow> = {}): ExampleRow => ({
  id,
  runId: 'r',
  step: 1,
  split: 'train',
  environment: 'bandit',
  group: 0,
  stateSeed: 1,
  success: false,
  reward: null,
  lossTokens: null,
  clippedTokens: null,
  updateShare: null,
  ...more,
});
const body = (replies: string, thoughts = ''): ExampleBody => ({
  entropy: null,
  reasoning: null,
  invalidFormat: null,
  replies: wordPairs([replies]),
  thoughts: wordPairs([thoughts]),
});

describe('what trajectories that show an alarm are chosen by', () => {
  it('has a quantity for every rule', () => {
    for (const rule of ruleNames) expect(exampleQuantities[choiceOfRule[rule].quantity]).toHaveLength(2);
  });

  it('is the deviation of the group, of which a lone member has none', () => {
    const rows = [
      row('a', { reward: 1 }),
      row('b', { reward: 3 }),
      row('c', { group: 1, reward: 2 }),
      row('d', { group: 1, reward: 2 }),
      row('e', { group: 2, reward: 5 }),
      row('f', { group: 1 }),
    ];
    // (1, 3): mean 2, squares 1 + 1, over n - 1 = 1: the root of 2
    expect([...measureExamples('group-deviation', rows, new Map())]).toEqual([
      ['a', Math.SQRT2],
      ['b', Math.SQRT2],
      ['c', 0],
      ['d', 0],
      ['f', 0],
    ]);
  });

  it('is how often pairs of words come again, in one and in the others', () => {
    // "press press press": two pairs, one of them different; "one" has no pair
    const bodies = new Map([
      ['a', body('press press press')],
      ['b', body('go left then right')],
      ['c', body('one')],
    ]);
    const rows = ['a', 'b', 'c', 'gone'].map((id) => row(id));
    expect([...measureExamples('distinct-2', rows, bodies)]).toEqual([
      ['a', 0.5],
      ['b', 1],
    ]);
    // of the pairs of d, "go left" is in one of the two others with text and "left now" in none
    const shared = new Map([
      ['a', body('go left')],
      ['d', body('go left now')],
      ['e', body('stay here')],
    ]);
    expect([...measureExamples('shared-phrases', rows, shared)]).toEqual([
      ['a', 0.5],
      ['d', 0.25],
      ['e', 0],
    ]);
  });

  it('leaves out what is absent or not finite, and is never 0 for it', () => {
    const rows = [
      row('a', { clippedTokens: 1, lossTokens: 4 }),
      row('b', { clippedTokens: 0, lossTokens: 0 }),
      row('c', { lossTokens: 4 }),
      row('d', { reward: Number.NaN }),
    ];
    expect([...measureExamples('clipped', rows, new Map())]).toEqual([['a', 0.25]]);
    expect(measureExamples('reward', rows, new Map()).size).toBe(0);
    expect(measureExamples('entropy', rows, new Map()).size).toBe(0);
  });

  it('counts sampled tokens only, and turns without the format', () => {
    const turn = { think: 'a b', response: 'a b c', formatValid: true };
    const stored = {
      spans: [
        { kind: 'template', start: 0, end: 2, turn: 0 },
        { kind: 'think', start: 2, end: 4, turn: 0 },
        { kind: 'answer', start: 4, end: 5, turn: 0 },
      ],
      entropies: Float32Array.of(9, 9, 1, 2, 3),
      turns: [turn, { ...turn, formatValid: false }],
    };
    expect(toExampleBody(stored as never)).toMatchObject({
      entropy: 2,
      reasoning: 1,
      invalidFormat: 0.5,
      thoughts: ['a b', 'a b'],
    });
  });
});
