import { z } from 'zod';

export const params = z.strictObject({
  keepRatio: z
    .number()
    .gt(0)
    .max(1)
    .default(0.25)
    .describe(
      'share of groups kept, those whose trajectories differ most in total; 1 = all. With few groups 0.5 is steadier',
    ),
  estimator: z
    .enum(['gae', 'group'])
    .default('gae')
    .describe('where credit comes from: gae = a critic, group = comparison within the group'),
  normalization: z
    .enum(['batch', 'group', 'none'])
    .default('batch')
    .describe('estimator group: what differences from the group mean are divided by'),
  gamma: z.number().min(0).max(1).default(1).describe('estimator gae: discount per loss token'),
  lambda: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('estimator gae: 1 = whole returns, lower = trust the critic more'),
  clipLow: z.number().gt(0).lt(1).default(0.2).describe('how far a probability ratio may fall below 1'),
  clipHigh: z.number().gt(0).default(0.28).describe('how far a probability ratio may rise above 1'),
  entropyCoefficient: z
    .number()
    .min(0)
    .default(0.001)
    .describe('weight of the entropy bonus; higher keeps the policy undecided'),
});

export type StarpoSParams = z.output<typeof params>;
