/** @file Options of `update` that concern the critic only: how often it learns, and the units of its values. */
import { z } from 'zod';

const inIterations = { unit: 'iterations' };

const valueNormalization = z
  .strictObject({
    use: z
      .enum(['off', 'running'])
      .default('off')
      .describe(
        'running: the critic learns (return − mean) / deviation, with mean and deviation of the returns over the iterations so far, and its values are turned back into reward before they are used; off: it learns returns as they are',
      ),
    memory: z
      .number()
      .min(0)
      .lt(1)
      .default(0.9)
      .describe(
        'running: share of mean and deviation that each iteration keeps, the rest is of its own returns; 0 = its own only',
      ),
  })
  .describe('the units of what a critic predicts; of no effect without one');

/** What `update` has of the critic. */
export const criticUpdate = {
  criticWarmup: z
    .int()
    .min(0)
    .default(0)
    .meta(inIterations)
    .describe('iterations at the start in which only the critic is trained'),
  criticEpochs: z
    .int()
    .min(1)
    .max(1024)
    .optional()
    .describe(
      'optimizer passes of the critic over the trajectories of one step; those beyond `update.epochs` come last; default: `update.epochs`',
    ),
  criticMiniBatches: z
    .int()
    .min(1)
    .optional()
    .describe(
      'optimizer steps of the critic per pass: more of them cost no more time, as each has fewer trajectories; default: `update.miniBatches`',
    ),
  valueNormalization: valueNormalization.prefault({}),
};
