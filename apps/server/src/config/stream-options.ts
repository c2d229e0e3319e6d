/** @file Settings of following runs live. */
import { z } from 'zod';

export const streamOptions = z.strictObject({
  flushMs: z
    .int()
    .min(10)
    .max(5000)
    .default(150)
    .describe('how long news of a run is gathered before it is sent to its followers, ms'),
  maxFollowsPerSocket: z.int().min(1).max(10_000).default(100).describe('runs one socket may follow at once'),
  bufferKb: z
    .int()
    .min(16)
    .max(100_000)
    .default(64)
    .describe(
      'what may wait to be sent to one follower, KiB; beyond it the follower reads history when it has caught up',
    ),
  pageRecords: z
    .int()
    .min(10)
    .max(5000)
    .default(200)
    .describe('records read at once for a follower who is behind'),
  pingSeconds: z
    .number()
    .min(0.1)
    .max(600)
    .default(12)
    .describe('a GraphQL socket is pinged so often, and closed when it has not answered after as long again'),
});
export type StreamOptions = z.infer<typeof streamOptions>;
