/** @file Options of checkpoints. */
import { z } from 'zod';
import { inIterations } from './run-options.js';

export const checkpoint = z.strictObject({
  every: z
    .int()
    .min(0)
    .default(10)
    .meta(inIterations)
    .describe('iterations between checkpoints; 0 = only at the end'),
  keep: z.int().min(1).default(2).describe('number of newest checkpoints kept'),
});
