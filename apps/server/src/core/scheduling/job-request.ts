import { type JobState, jobStates } from '@espalier/protocol';
import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { pageQuery } from '../database/page.js';

const state = z.enum(Object.keys(jobStates) as [JobState]);
const shared = {
  runId: text(100).optional().describe('only those of this run'),
  project: text(200).optional().describe('only those of this project'),
};

/** Which jobs; all conditions hold at once. */
export const jobConditions = z.strictObject({
  ...shared,
  states: z.array(state).max(Object.keys(jobStates).length).optional(),
});
export type JobConditions = z.output<typeof jobConditions>;

/** `GET /jobs` */
export const jobsQuery = pageQuery.extend({
  ...shared,
  state: state.optional().describe('only those in this state'),
});
