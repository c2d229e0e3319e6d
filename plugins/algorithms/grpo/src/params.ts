import { options } from '@espalier/plugin-kit';
import { z } from 'zod';

export const params = z.strictObject({
  normalization: z
    .enum(['batch', 'group', 'none', 'mean'])
    .default('batch')
    .describe(
      'what differences from the group mean are divided by: the deviation in the batch, in the group (the paper), 1 (Dr. GRPO), or the mean (MaxRL, for rewards that are never negative)',
    ),
  ...options.clipBounds(),
  ...options.dualClip(),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export type GrpoParams = z.output<typeof params>;
