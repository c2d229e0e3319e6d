/** @file Options of normalising rewards before credit, whatever the algorithm. How: libs/trainer/src/normalize-rewards.ts. */
import { z } from 'zod';

export const rewardNormalization = z
  .strictObject({
    by: z
      .enum(['state', 'batch', 'tag'])
      .default('state')
      .describe(
        'which totals are compared: of the trajectories from one state (a group), of all of the iteration, or of those with one environment tag',
      ),
    method: z
      .enum(['identity', 'mean', 'mean-std', 'asymmetric-clip'])
      .default('mean-std')
      .describe(
        'identity: totals as they are; mean: less their mean; mean-std: that divided by the deviation; asymmetric-clip: that within −1 and 3, so that failures count for less than rare successes',
      ),
  })
  .describe(
    'normalizes the totals of trajectories before credit, for the update only: filters and metrics of the rollout keep the raw ones; absent: not',
  );
