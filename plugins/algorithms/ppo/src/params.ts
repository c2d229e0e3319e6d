import { options } from '@espalier/plugin-kit';
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
  ...options.clipBounds(),
  ...options.dualClip(),
  valueClip: z
    .number()
    .min(0)
    .default(0.5)
    .describe(
      'how far a value may move per rollout before its gradient stops, in reward, or in deviations of the returns with update.valueNormalization; 0 = off',
    ),
  ...options.criticEnsemble(),
  ...options.entropyBonus(),
  ...options.klPenalty(),
  ...options.klReward(),
});

export type PpoParams = z.output<typeof params>;
