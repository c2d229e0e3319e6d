import type { JobKind, JobNeeds, JobState } from '@espalier/protocol';
import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../database/columns.js';
import { messageCost, resultCost } from '../graphql/field-costs.js';
import { DateTimeScalar, JsonScalar } from '../graphql/scalars.js';
import { JobStateEnum } from '../runs/run.entity.js';

/** What an evaluation job measures. */
export interface EvaluateRequest {
  readonly path: string;
  readonly step: number;
  readonly episodes: number;
  readonly split: 'validation' | 'test';
}

@Entity('job')
@ObjectType({ description: 'One piece of work of a run: training it, or evaluating one of its checkpoints.' })
@Index('job_by_run', ['runId'])
@Index('job_by_state', ['state', 'priority', 'queuedAt'])
@Index('job_by_key', ['createdBy', 'state'])
export class Job {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by age.' })
  id!: string;

  @Column('text')
  @Field(() => ID, { description: 'The run it works for.' })
  runId!: string;

  @Column('text')
  project!: string;

  @Column('text')
  @Field(() => String, { description: '`train` or `evaluate`.' })
  kind!: JobKind;

  @Column('text')
  @Field(() => JobStateEnum, { description: 'Where it stands.' })
  state!: JobState;

  @Column('text')
  @Field(() => String, {
    description: 'Why it waits, failed or was stopped, in a sentence.',
    complexity: messageCost,
  })
  message!: string;

  @Column('int')
  @Field(() => Int, { description: 'Higher is placed first; among equals the older.' })
  priority!: number;

  @Column(json)
  @Field(() => JsonScalar, {
    description: 'What it asks of a place: kind and count of devices, memory, labels.',
  })
  needs!: JobNeeds;

  @Column('text')
  /** class of jobs with equal needs, equal plugins to keep and one creator (job-queue.ts) */
  queue!: string;

  @Column('text')
  createdBy!: string;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt!: number;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'Since when it waits, or waited last.' })
  queuedAt!: number;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'When its first attempt was given to a worker.',
  })
  startedAt!: number | null;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it came to rest.' })
  endedAt!: number | null;

  @Column('int')
  @Field(() => Int, {
    description: 'Attempts so far. It is also the fencing token: only the newest attempt’s writes count.',
  })
  token!: number;

  @Column('int')
  @Field(() => Int, {
    description:
      'Attempts that ended without a word (killed, out of memory), since a person last resumed it.',
  })
  crashes!: number;

  @Column('int')
  @Field(() => Int, {
    description: 'Attempts whose work failed in a way it explained, since a person last resumed it.',
  })
  tries!: number;

  /** attempts in a row whose worker vanished with them before they got any further */
  @Column('int')
  losses!: number;

  /** attempts after this one have the plugins that count; before, somebody accepted others */
  @Column('int', { default: 0 })
  pluginsSince!: number;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'After a failed attempt: when it may be placed again.',
  })
  notBefore!: number | null;

  /** what its worker is asked to do, until it has done it */
  @Column(nullableText)
  control!: 'pause' | 'cancel' | 'kill' | null;

  @Column(nullableBigint)
  @Field(() => Float, {
    nullable: true,
    description: 'Until when its worker’s claim holds without a heartbeat, ms since the epoch.',
  })
  leaseUntil!: number | null;

  @Column(nullableText)
  @Field(() => ID, { nullable: true, description: 'The worker that holds it.' })
  workerId!: string | null;

  @Column(nullableText)
  @Field(() => ID, { nullable: true, description: 'Its newest attempt.' })
  attemptId!: string | null;

  @Column(nullableJson)
  evaluate!: EvaluateRequest | null;

  @Column(nullableJson)
  @Field(() => JsonScalar, {
    nullable: true,
    description:
      'What an evaluation found: shares and their intervals, and with up to 1000 episodes the outcome of each.',
    complexity: resultCost,
  })
  result!: Record<string, unknown> | null;
}
