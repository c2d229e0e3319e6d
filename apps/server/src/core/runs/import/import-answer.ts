import { jobStates, type JobState } from '@espalier/protocol';
import { z } from 'zod';

/** By which an attempt of an imported run is written to. */
export const importHandle = z.object({
  runId: z.string(),
  attemptId: z.string(),
  token: z.int(),
  acked: z.int().describe('last sequence of the attempt that is stored'),
});
export type ImportHandle = z.infer<typeof importHandle>;

/** What the announcement of a run is answered with; the handle is that of its newest attempt. */
export const importAnswer = importHandle.extend({
  name: z.string(),
  state: z
    .enum(Object.keys(jobStates) as [JobState])
    .describe('`importing` until its end was told; in any other state there is nothing to do'),
  isNew: z.boolean().describe('it was made just now; false: it is one that was announced before'),
  isChanged: z.boolean().describe('the run held something else when it was announced'),
  attempts: z
    .array(z.object({ attempt: z.int(), acked: z.int() }))
    .describe('what has arrived already, by attempt'),
});
export type ImportAnswer = z.infer<typeof importAnswer>;
