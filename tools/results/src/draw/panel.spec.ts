import { describe, expect, it } from 'vitest';
import type { EntryResult, SeedResult } from '../collect/result.js';
import { niceTicks } from './axis.js';
import { mergeSeeds, validationLine } from './lines.js';
import { drawPanel } from './panel.js';

const seed = (change: Partial<SeedResult> = {}): SeedResult =>
  ({
    seed: 1,
    iterations: 2,
    validations: [
      { step: 0, minutes: 0, success: 0.4, low: 0.3, high: 0.5 },
      { step: 2, minutes: 1, success: 0.6, low: 0.5, high: 0.7 },
    ],
    curves: {
      success: [
        [1, 0.4],
        [2, 0.6],
      ],
      entropy: [
        [1, 0.2],
        [2, 0.1],
      ],
    },
    ...change,
  }) as SeedResult;
const entry = (seeds: readonly SeedResult[]): EntryResult =>
  ({ name: 'one', title: 'One <&>', seeds }) as EntryResult;

describe('axis ticks', () => {
  it.each([
    [0, 0.37, [0, 0.1, 0.2, 0.3, 0.4]],
    [0, 13, [0, 5, 10, 15]],
    [-0.2, 1, [-0.5, 0, 0.5, 1]],
    [0, 0, [0, 0.25]],
  ])('from %d to %d are round and enclose the values', (low, high, ticks) => {
    expect(niceTicks(low, high)).toEqual(ticks);
  });
});

describe('seeds as one line', () => {
  it('have mean, lowest and highest at each step, of those that reached it', () => {
    expect(
      mergeSeeds([
        [
          [1, 2],
          [2, 4],
        ],
        [[1, 4]],
      ]),
    ).toEqual([
      { step: 1, mean: 3, low: 2, high: 4 },
      { step: 2, mean: 4, low: 4, high: 4 },
    ]);
  });

  it('show the interval of the measurement while there is only one', () => {
    expect(validationLine(entry([seed()]))[1]).toEqual({ step: 2, mean: 0.6, low: 0.5, high: 0.7 });
  });
});

describe('a panel', () => {
  it('has six charts with units, and no number that is none', () => {
    const svg = drawPanel('Title <&>', [entry([seed(), seed({ seed: 2, iterations: 5 })])]);
    expect(svg.match(/<g transform/g)).toHaveLength(6);
    expect(svg).toContain('nats per token');
    expect(svg).toContain('Title &lt;&amp;&gt;');
    expect(svg).toContain('mean of 2 seeds');
    expect(svg).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('names both entries where two are drawn over each other', () => {
    const svg = drawPanel('Pair', [entry([seed()]), { ...entry([seed()]), name: 'two' }]);
    expect(svg).toContain('one (seed 1)');
    expect(svg).toContain('two (seed 1)');
  });
});
