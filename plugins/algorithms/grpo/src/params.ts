import { options } from '@espalier/plugin-kit';
import { z } from 'zod';

export const params = z.strictObject({
  ...options.normalization('batch'),
  ...options.clipBounds(),
  ...options.dualClip(),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export type GrpoParams = z.output<typeof params>;
