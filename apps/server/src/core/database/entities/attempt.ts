import type { ExitVerdict, PluginVersion } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../columns.js';
import { AttemptDevice } from './attempt-device.js';

/** `assigned`: sent to a worker; `running`: its process started; `ended`: it is over; `lost`: its worker was silent. */
export type AttemptState = 'assigned' | 'running' | 'ended' | 'lost';

@Entity('attempt')
@Index('attempt_by_job', ['jobId', 'number'], { unique: true })
@Index('attempt_by_run', ['runId'])
export class Attempt {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  jobId!: string;

  @Column('text')
  runId!: string;

  @Column('int')
  number!: number;

  @Column('text')
  state: AttemptState = 'assigned';

  @Column('text')
  workerId!: string;

  @Column('text')
  workerName!: string;

  @Column(nullableText)
  host: string | null = null;

  @Column(json)
  devices!: string[];

  @Column(nullableJson)
  hardware: AttemptDevice[] | null = null;

  @Column('int', { nullable: true })
  pid: number | null = null;

  @Column('int', { nullable: true })
  startStep: number | null = null;

  @Column('int')
  step = -1;

  @Column(bigint)
  assignedAt!: number;

  @Column(nullableBigint)
  startedAt: number | null = null;

  @Column(nullableBigint)
  endedAt: number | null = null;

  @Column('int', { nullable: true })
  exitCode: number | null = null;

  @Column(nullableText)
  signal: string | null = null;

  @Column(nullableText)
  verdict: ExitVerdict | null = null;

  @Column('text')
  message = '';

  /** Last sequence stored of each stream. */
  @Column('int')
  ackedTrainer = 0;

  @Column('int')
  ackedLog = 0;

  @Column('int')
  ackedWorker = 0;

  @Column(nullableJson)
  versions: Record<string, string> | null = null;

  @Column(nullableJson)
  plugins: readonly PluginVersion[] | null = null;

  @Column(nullableText)
  gitRevision: string | null = null;
}
