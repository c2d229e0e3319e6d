import { objective } from '@espalier/plugin-kit';
import { z } from 'zod';

export const params = z.strictObject({
  normalization: z
    .enum(['batch', 'group', 'none'])
    .default('batch')
    .describe(
      'what differences from the group mean are divided by: the deviation in the batch, in the group (the paper), or 1 (Dr. GRPO)',
    ),
  clipLow: z.number().gt(0).lt(1).default(0.2).describe('how far a probability ratio may fall below 1'),
  clipHigh: z.number().gt(0).default(0.2).describe('how far a probability ratio may rise above 1'),
  dualClip: z
    .number()
    .refine((bound) => bound === 0 || bound > 1, 'expected 0 (off) or more than 1')
    .default(3)
    .describe('bounds the loss of a bad token at this times its |advantage|; more than 1, or 0 = off'),
  entropyCoefficient: z
    .number()
    .min(0)
    .default(0)
    .describe('weight of the entropy bonus; higher keeps the policy undecided'),
  klCoefficient: z
    .number()
    .min(0)
    .default(0)
    .describe('weight of the divergence from the starting policy; above 0 a reference copy is kept'),
  klEstimator: z
    .enum(objective.klEstimators)
    .default('k3-straight-through')
    .describe('how the divergence is estimated at sampled tokens'),
});

export type GrpoParams = z.output<typeof params>;
