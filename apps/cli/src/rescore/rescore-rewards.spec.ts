import type { StoredTrajectory } from '@espalier/recorder';
import { expect, it } from 'vitest';
import { createRewardComparison, type Rescored } from './rescore-rewards.js';

it('keeps the new total of a greedy baseline, and compares only what was sampled', () => {
  const comparison = createRewardComparison();
  const stored = (index: number, total: number) =>
    ({ id: `train/1/0/${index}`, split: 'train', step: 1, group: 0, score: { total } }) as StoredTrajectory;
  const rescored = (total: number): Rescored => ({
    score: { total } as Rescored['score'],
    metrics: { 'reward/new': total },
  });
  comparison.add(stored(0, 1), rescored(2));
  comparison.add(stored(2, 9), rescored(-9), false);
  comparison.add(stored(1, 0), rescored(4));
  const { rescoredRewards, rescoredTotals, metrics } = comparison.result();
  expect(rescoredTotals.map((own) => [own.trajectory, own.rescored])).toEqual([
    ['train/1/0/0', 2],
    ['train/1/0/2', -9],
    ['train/1/0/1', 4],
  ]);
  expect(rescoredRewards).toMatchObject({
    meanStored: 0.5,
    meanRescored: 3,
    reversed: 1,
    differingStored: 1,
  });
  expect(metrics).toEqual({ 'reward/new': 3 });
});
