import { describe, expect, it } from 'vitest';
import type { EntryResult } from '../collect/result.js';
import { drawDots } from '../draw/dots.js';
import { describeGrid } from './grid-table.js';

const grid = {
  seeds: 2,
  environments: [
    { name: 'lake', title: 'Lake', config: 'lake.yaml', set: [], minutes: 5 },
    { name: 'box', title: 'Box', config: 'box.yaml', set: [], minutes: 5 },
  ],
  algorithms: [
    { name: 'grpo', title: 'GRPO', set: [] },
    { name: 'ppo', title: 'PPO', set: [] },
  ],
};

const seed = (end: number, outcome: 'finished' | 'no-signal' = 'finished') => ({
  outcome,
  start: { success: 0.4 },
  end: { success: end },
  difference: { difference: end - 0.4 },
  minutes: 2 * end,
  trainedTokens: 1e6 * end,
});
const results = new Map(
  [
    { name: 'lake-grpo', seeds: [seed(0.5), seed(0.75)] },
    { name: 'box-ppo', seeds: [seed(0, 'no-signal')] },
  ].map((result) => [result.name, result as unknown as EntryResult]),
);

describe('the tables of a grid', () => {
  const lines = describeGrid(grid, results).split('\n');

  it('have means over seeds, their range, and what they took', () => {
    expect(lines.filter((line) => line.startsWith('| GRPO'))).toEqual([
      '| GRPO | [62.5 %](#lake-grpo) (50.0 to 75.0) |  |',
      '| GRPO | +22.5, 1.3 min, 0.63 M |  |',
    ]);
  });

  it('tell how many seeds there are, and which ended without a signal', () => {
    expect(lines.find((line) => line.startsWith('| PPO'))).toBe(
      '| PPO |  | [0.0 %](#box-ppo) (0.0 to 0.0); 1 of 2 seeds; 1 without a signal left |',
    );
  });
});

describe('the picture of a grid', () => {
  it('has a dot for every seed at its success, and the start as a dashed line', () => {
    const picture = drawDots('All', grid, results);
    const places = [...picture.matchAll(/<circle cx="([\d.]+)" cy="([\d.]+)"/g)].map(([, x, y]) => [x, y]);
    // a chart is 210 wide; the second begins at 432, and the second row is 20 below the first
    expect(places).toEqual([
      ['295.0', '88'],
      ['347.5', '88'],
      ['432.0', '108'],
    ]);
    expect(picture.match(/x1="274.0" x2="274.0"[^>]*stroke-dasharray/g)).toHaveLength(1);
    expect(picture.match(/x1="516.0" x2="516.0"[^>]*stroke-dasharray/g)).toHaveLength(1);
  });
});
