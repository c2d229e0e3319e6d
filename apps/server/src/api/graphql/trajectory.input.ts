import type { Split, StopReason } from '@espalier/contracts';
import { Field, Float, InputType, Int } from '@nestjs/graphql';
import { SplitEnum, StopReasonEnum } from './enums.js';

@InputType({ description: 'Which trajectories; all conditions hold at once.' })
export class TrajectoryFilter {
  @Field(() => Int, { nullable: true, description: 'First step, from 0.' })
  fromStep?: number;

  @Field(() => Int, { nullable: true, description: 'Last step.' })
  toStep?: number;

  @Field(() => String, { nullable: true, description: 'Played in this environment.' })
  environment?: string;

  @Field(() => SplitEnum, { nullable: true, description: 'Which states it was sampled from.' })
  split?: Split;

  @Field(() => Int, { nullable: true, description: 'Of this group.' })
  group?: number;

  @Field(() => Float, { nullable: true, description: 'Reward at least this.' })
  minReward?: number;

  @Field(() => Float, { nullable: true, description: 'Reward at most this.' })
  maxReward?: number;

  @Field(() => Boolean, { nullable: true, description: 'Only successes, or only the others.' })
  success?: boolean;

  @Field(() => StopReasonEnum, { nullable: true, description: 'Why it ended.' })
  stopReason?: StopReason;

  @Field(() => Boolean, { nullable: true, description: 'Entered the batch, or not.' })
  kept?: boolean;

  @Field(() => Boolean, { nullable: true, description: 'Also those whose step a later attempt did again.' })
  superseded?: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'Words that all occur, in any order; "several words" in this order; a minus excludes. Text without letters and digits is looked for as it is.',
  })
  text?: string;
}
