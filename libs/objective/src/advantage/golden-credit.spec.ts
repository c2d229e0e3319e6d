import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { filterGroups } from './filter.js';
import { estimateTokenGae } from './gae.js';
import { estimateGroupAdvantages } from './group-relative.js';
import { estimateMoments } from './statistics.js';
import { whiten } from './whiten.js';

interface GoldenCase {
  gamma: number;
  lambda: number;
  trajectories: { rewards: number[]; values: number[]; lossMask: number[]; bootstrap: number }[];
  gae: number[][];
  returns: number[][];
  whitened: number[][];
  group_rewards: number[][];
  grpo_advantages: number[][];
  filter: { ratio: number; group_std: number[]; kept_groups: number[] };
}

const { cases } = JSON.parse(readFileSync(join(goldenFolder('credit'), 'credit.json'), 'utf8')) as {
  cases: GoldenCase[];
};

function largestDifference(
  actual: readonly ArrayLike<number>[],
  expected: readonly (readonly number[])[],
): number {
  expect(actual.map((array) => array.length)).toEqual(expected.map((array) => array.length));
  let largest = 0;
  expected.forEach((array, i) =>
    array.forEach((value, t) => {
      const difference = Math.abs(((actual[i] as ArrayLike<number>)[t] as number) - value);
      largest = Number.isNaN(difference) ? Infinity : Math.max(largest, difference);
    }),
  );
  return largest;
}

const TOLERANCE = 1e-9; // both sides are float64; only the order of summation differs

describe('credit, compared with an independent implementation', () => {
  it('has forty cases', () => expect(cases).toHaveLength(40));

  it.each(cases.map((golden, index) => ({ golden, index })))('case $index', ({ golden }) => {
    const { gamma, lambda, trajectories } = golden;
    const credit = trajectories.map((trajectory) => estimateTokenGae({ ...trajectory, gamma, lambda }));
    const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
    const advantages = credit.map((one) => one.advantages);
    expect(largestDifference(advantages, golden.gae)).toBeLessThan(TOLERANCE);
    expect(
      largestDifference(
        credit.map((one) => one.returns),
        golden.returns,
      ),
    ).toBeLessThan(TOLERANCE);
    expect(largestDifference(whiten(advantages, lossMask), golden.whitened)).toBeLessThan(TOLERANCE);

    const groups = golden.group_rewards.flatMap((totals, group) => totals.map(() => group));
    const relative = estimateGroupAdvantages(golden.group_rewards.flat(), groups, 'group');
    expect(largestDifference([relative], [golden.grpo_advantages.flat()])).toBeLessThan(TOLERANCE);

    const filtered = filterGroups(
      golden.group_rewards.map((totals) => ({ totals })),
      { kind: 'ratio', value: golden.filter.ratio, zeros: 'keep' },
    );
    expect(filtered.kept).toEqual(golden.filter.kept_groups);
    expect(largestDifference([filtered.scores], [golden.filter.group_std])).toBeLessThan(TOLERANCE);
    expect(golden.group_rewards.map((totals) => estimateMoments(totals).std)).toEqual([...filtered.scores]);
  });
});
