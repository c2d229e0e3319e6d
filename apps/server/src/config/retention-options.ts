/** @file Settings of how long the history of runs and disconnected workers are kept. */
import { z } from 'zod';

const days = (what: string) =>
  z.number().min(0).max(36_500).default(0).describe(`${what} older than this many days; 0: never`);

export const retentionOptions = z.strictObject({
  metricsDays: days(
    'deletes rows of metrics that are packed into blocks (history stays, following starts later)',
  ),
  trajectoriesDays: days('deletes trajectories from lists and search (their files stay)'),
  logsDays: days('deletes what processes printed'),
  workersDays: z
    .number()
    .min(0)
    .max(36_500)
    .default(30)
    .describe(
      'takes workers off the lists that were not connected for this many days and have no attempt under way; 0: never',
    ),
  everyMinutes: z.number().min(0.1).max(10_000).default(60).describe('how often to look, minutes'),
});
export type RetentionOptions = z.infer<typeof retentionOptions>;
