import { options } from '@espalier/plugin-kit';
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
  ...options.clipBounds(0.2, 0.28),
  ...options.criticEnsemble(),
  ...options.entropyBonus(0.001),
});

export type StarpoSParams = z.output<typeof params>;
