import type { JobKind, JobNeeds, JobState } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../columns.js';

/** What an evaluation job measures. */
export interface EvaluateRequest {
  readonly path: string;
  readonly step: number;
  readonly episodes: number;
  readonly split: 'validation' | 'test';
}

@Entity('job')
@Index('job_by_run', ['runId'])
// partial, with its priority descending: what the decorator cannot say stands in the migration
@Index('job_queue', { synchronize: false })
@Index('job_by_state', ['state', 'priority', 'queuedAt'])
@Index('job_by_key', ['createdBy', 'state'])
export class Job {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  runId!: string;

  @Column('text')
  project!: string;

  @Column('text')
  kind!: JobKind;

  @Column('text')
  state!: JobState;

  @Column('text')
  message!: string;

  @Column('int')
  priority!: number;

  @Column(json)
  needs!: JobNeeds;

  @Column('text')
  /** class of jobs with equal needs, equal plugins to keep and one creator (job-queue.ts) */
  queue!: string;

  @Column('text')
  createdBy!: string;

  @Column(bigint)
  createdAt!: number;

  @Column(bigint)
  queuedAt!: number;

  @Column(nullableBigint)
  startedAt!: number | null;

  @Column(nullableBigint)
  endedAt!: number | null;

  @Column('int')
  token!: number;

  @Column('int')
  crashes!: number;

  @Column('int')
  tries!: number;

  /** attempts in a row whose worker vanished with them before they got any further */
  @Column('int')
  losses!: number;

  /** attempts after this one have the plugins that count; before, somebody accepted others */
  @Column('int')
  pluginsSince!: number;

  @Column(nullableBigint)
  notBefore!: number | null;

  /** what its worker is asked to do, until it has done it */
  @Column(nullableText)
  control!: 'pause' | 'cancel' | 'kill' | null;

  @Column(nullableBigint)
  leaseUntil!: number | null;

  @Column(nullableText)
  workerId!: string | null;

  @Column(nullableText)
  attemptId!: string | null;

  @Column(nullableJson)
  evaluate!: EvaluateRequest | null;

  @Column(nullableJson)
  result!: Record<string, unknown> | null;
}
