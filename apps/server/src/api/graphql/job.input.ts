import type { JobState } from '@espalier/protocol';
import { Field, ID, InputType } from '@nestjs/graphql';
import { JobStateEnum } from './enums.js';

@InputType({ description: 'Which jobs; all conditions hold at once.' })
export class JobFilter {
  @Field(() => [JobStateEnum], { nullable: true, description: 'In one of these states.' })
  states?: JobState[] | null;

  @Field(() => ID, { nullable: true, description: 'Of this run.' })
  runId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this project.' })
  project?: string | null;
}
