import { type JobState, jobStates } from '@espalier/protocol';
import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { orderQuery, pageQuery } from '../database/page.js';

const state = z.enum(Object.keys(jobStates) as [JobState]);
const shared = {
  runId: text(100).optional().describe('only those of this run'),
  project: text(200).optional().describe('only those of this project'),
};

/** What a list of jobs can be ordered by. */
export const jobOrderFields = {
  createdAt: 'when it was created',
  queuedAt: 'since when it waits, or waited last',
  endedAt: 'when it stopped; jobs that have not stopped count as the newest',
  priority: 'its priority',
} as const;
export type JobOrderField = keyof typeof jobOrderFields;

/** Which jobs; all conditions hold at once. */
export const jobConditions = z.strictObject({
  ...shared,
  states: z.array(state).max(Object.keys(jobStates).length).optional().describe('in one of these states'),
});
export type JobConditions = z.output<typeof jobConditions>;

/** `GET /jobs` */
export const jobsQuery = pageQuery.extend({
  ...shared,
  state: state.optional().describe('only those in this state'),
  ...orderQuery(jobOrderFields),
});
