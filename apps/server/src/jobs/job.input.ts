import { type JobState, jobStates } from '@espalier/protocol';
import { text } from '@espalier/protocol/bounds';
import { Field, ID, InputType } from '@nestjs/graphql';
import { z } from 'zod';
import { pageQuery } from '../graphql/page.js';
import { JobStateEnum } from '../runs/run.entity.js';

@InputType({ description: 'Which jobs; all conditions hold at once.' })
export class JobFilter {
  @Field(() => [JobStateEnum], { nullable: true, description: 'In one of these states.' })
  states?: JobState[] | null;

  @Field(() => ID, { nullable: true, description: 'Of this run.' })
  runId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this project.' })
  project?: string | null;
}

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
