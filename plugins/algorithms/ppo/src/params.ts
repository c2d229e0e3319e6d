import { objective } from '@espalier/plugin-kit';
import { z } from 'zod';

export const params = z.strictObject({
  gamma: z.number().min(0).max(1).default(1).describe('discount per loss token'),
  lambda: z
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('1 = whole returns (no bias), lower = trust the critic more (less variance)'),
  turnGamma: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe(
      'discount per turn; when given, credit is estimated between turns first, then between the tokens of each',
    ),
  clipLow: z.number().gt(0).lt(1).default(0.2).describe('how far a probability ratio may fall below 1'),
  clipHigh: z.number().gt(0).default(0.2).describe('how far a probability ratio may rise above 1'),
  dualClip: z
    .number()
    .refine((bound) => bound === 0 || bound > 1, 'expected 0 (off) or more than 1')
    .default(3)
    .describe('bounds the loss of a bad token at this times its |advantage|; more than 1, or 0 = off'),
  valueClip: z
    .number()
    .min(0)
    .default(0.5)
    .describe('how far a value may move per rollout before its gradient stops, in reward; 0 = off'),
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

export type PpoParams = z.output<typeof params>;
