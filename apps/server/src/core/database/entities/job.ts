import type { Assignment, EvaluationResult, JobKind, JobNeeds, JobState } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../columns.js';

/** What an evaluation job measures, with the step of its checkpoint. */
export type StepEvaluation = NonNullable<Assignment['evaluate']> & { readonly step: number };

@Entity('job')
@Index('job_by_run', ['runId'])
// a partial index with descending priority, which the decorator cannot express: see the migration
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
  kind: JobKind = 'train';

  @Column('text')
  state: JobState = 'queued';

  @Column('text')
  message = '';

  @Column('int')
  priority = 0;

  @Column(json)
  needs!: JobNeeds;

  @Column('text')
  /** class of jobs with equal needs, equal pinned plugins and one creator (job-queue.ts) */
  queue!: string;

  @Column('text')
  createdBy!: string;

  @Column(bigint)
  createdAt!: number;

  @Column(bigint)
  queuedAt!: number;

  @Column(nullableBigint)
  startedAt: number | null = null;

  @Column(nullableBigint)
  endedAt: number | null = null;

  @Column('int')
  token = 0;

  /** failures in a row without progress: its process failed or crashed, or its worker vanished */
  @Column('int')
  failures = 0;

  /** plugins are pinned to the first attempt after this one; a user accepted other plugins than those before */
  @Column('int')
  pluginsSince = 0;

  @Column(nullableBigint)
  notBefore: number | null = null;

  /** the pending command to its worker */
  @Column(nullableText)
  control: 'pause' | 'cancel' | 'kill' | null = null;

  @Column(nullableText)
  workerId: string | null = null;

  @Column(nullableText)
  attemptId: string | null = null;

  @Column(nullableJson)
  evaluate: StepEvaluation | null = null;

  @Column(nullableJson)
  result!: EvaluationResult | null;
}
