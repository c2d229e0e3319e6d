import type { StopReason } from '@espalier/contracts';
import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, bigintKey, nullableFloat, nullableText } from '../database/columns.js';

/** What a list shows of a trajectory; its tokens lie in the run's trajectory files. */
@Entity('trajectory')
@ObjectType('TrajectoryRow', {
  description: 'One attempt of the agent at one initial state, as lists show it.',
})
@Index('trajectory_by_step', ['runId', 'step', 'cursor', 'searchKey', 'superseded'])
@Index('trajectory_by_reward', ['runId', 'reward', 'cursor', 'searchKey', 'superseded'])
@Index('trajectory_by_id', ['runId', 'id'])
@Index('trajectory_by_search_key', ['searchKey'], { unique: true })
export class TrajectoryEntity {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'The run it belongs to.' })
  runId!: string;

  @PrimaryColumn(bigintKey)
  @Field(() => Float, { description: 'Its place in the history of the run.' })
  cursor!: number;

  @Column('text')
  @Field(() => ID, { description: 'Unique within the run: split/step/group/index.' })
  id!: string;

  @Column('int')
  @Field(() => Int, { description: 'Attempt of the job it was made by.' })
  attempt!: number;

  @Column('int')
  @Field(() => Int, { description: 'Step it was sampled for: completed iterations, from 1 in training.' })
  step!: number;

  @Column('text')
  @Field(() => String, { description: 'Environment it was played in.' })
  environment!: string;

  @Column('text')
  @Field(() => String, { description: '`train`, `validation` or `test`.' })
  split!: string;

  @Column('int', { name: 'group_index' })
  @Field(() => Int, { description: 'Group: attempts at the same initial state.' })
  group!: number;

  @Column('int')
  @Field(() => Int, { description: 'Place within the group.' })
  index!: number;

  @Column('double precision')
  @Field(() => Float, { description: 'Seed of the initial state.' })
  stateSeed!: number;

  @Column(nullableFloat)
  @Field(() => Float, {
    nullable: true,
    description: 'Total score: rewards with their weights, and format penalties.',
  })
  reward!: number | null;

  @Column(nullableFloat)
  @Field(() => Float, { nullable: true, description: 'Sum of the environment’s rewards.' })
  environmentReward!: number | null;

  @Column('boolean')
  @Field(() => Boolean, { description: 'The environment reports success.' })
  success!: boolean;

  @Column('text')
  @Field(() => String, {
    description: 'Why it ended: success, failure, actions, turns, context, error, timeout, cancelled.',
  })
  stopReason!: StopReason;

  @Column('int')
  @Field(() => Int, { description: 'Turns played.' })
  turns!: number;

  @Column('int')
  @Field(() => Int, { description: 'Tokens in all.' })
  tokens!: number;

  @Column('int')
  @Field(() => Int, { description: 'Tokens the model wrote.' })
  sampledTokens!: number;

  @Column('boolean')
  @Field(() => Boolean, { description: 'It entered the batch.' })
  kept!: boolean;

  @Column(nullableText)
  @Field(() => String, { nullable: true, description: 'What failed, where something did.' })
  error!: string | null;

  @Column('boolean')
  @Field(() => Boolean, {
    description: 'A later attempt did this step again; left out of lists unless asked for.',
  })
  superseded!: boolean;

  /** its number in the full-text index, unique in the whole server */
  @Column(bigint)
  searchKey!: number;

  /** observations and responses, cut at 20,000 characters; read only when asked for */
  @Column('text', { select: false })
  text!: string;
}
