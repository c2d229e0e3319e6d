import type { ExitVerdict, PluginVersion } from '@espalier/protocol';
import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../database/columns.js';
import { messageCost } from '../graphql/field-costs.js';
import { DateTimeScalar, JsonScalar } from '../graphql/scalars.js';
import { AttemptDevice } from './attempt-device.type.js';

/** `assigned`: given to a worker; `running`: its process began; `ended`: it is over; `lost`: its worker went silent. */
export type AttemptState = 'assigned' | 'running' | 'ended' | 'lost';

@Entity('attempt')
@ObjectType({ description: 'One try at a job, by one worker. Never changed by another try.' })
@Index('attempt_by_job', ['jobId', 'number'], { unique: true })
@Index('attempt_by_run', ['runId'])
export class Attempt {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by age.' })
  id!: string;

  @Column('text')
  @Field(() => ID, { description: 'The job it is a try at.' })
  jobId!: string;

  @Column('text')
  @Field(() => ID, { description: 'The run it works for.' })
  runId!: string;

  @Column('int')
  @Field(() => Int, { description: 'From 1 within its job; also its fencing token.' })
  number!: number;

  @Column('text')
  @Field(() => String, {
    description: '`assigned`, `running`, `ended`, or `lost` when its worker went silent.',
  })
  state!: AttemptState;

  @Column('text')
  @Field(() => ID, { description: 'The worker it was given to.' })
  workerId!: string;

  @Column('text')
  @Field(() => String, { description: 'Name of that worker.' })
  workerName!: string;

  @Column(nullableText)
  @Field(() => String, { nullable: true, description: 'Where it ran.' })
  host!: string | null;

  @Column(json)
  @Field(() => [String], { description: 'Ids of the devices it was given.' })
  devices!: string[];

  @Column(nullableJson)
  @Field(() => [AttemptDevice], {
    nullable: true,
    description: 'The devices themselves, as they were when it was placed; null: not known.',
  })
  hardware!: AttemptDevice[] | null;

  @Column('int', { nullable: true })
  @Field(() => Int, { nullable: true, description: 'Process id on its host.' })
  pid!: number | null;

  @Column('int', { nullable: true })
  @Field(() => Int, {
    nullable: true,
    description: 'Step it started from; what earlier attempts reported of later steps is superseded.',
  })
  startStep!: number | null;

  @Column('int')
  @Field(() => Int, { description: 'Last step it finished; −1: none.' })
  step!: number;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it was given to the worker.' })
  assignedAt!: number;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When its process began.' })
  startedAt!: number | null;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ended or was given up.' })
  endedAt!: number | null;

  @Column('int', { nullable: true })
  @Field(() => Int, {
    nullable: true,
    description: 'Exit code of the process; docs/reference/cli.md lists them.',
  })
  exitCode!: number | null;

  @Column(nullableText)
  @Field(() => String, { nullable: true, description: 'Signal that ended the process.' })
  signal!: string | null;

  @Column(nullableText)
  @Field(() => String, {
    nullable: true,
    description: '`finished`, `stopped`, `refused`, `failed` or `crashed`.',
  })
  verdict!: ExitVerdict | null;

  @Column('text')
  @Field(() => String, {
    description: 'How it ended, in a sentence; for a crash the end of what it printed.',
    complexity: messageCost,
  })
  message!: string;

  /** Last sequence stored of each stream. */
  @Column('int')
  ackedTrainer!: number;

  @Column('int')
  ackedLog!: number;

  @Column('int')
  ackedWorker!: number;

  @Column(nullableJson)
  @Field(() => JsonScalar, { nullable: true, description: 'Versions of libraries.' })
  versions!: Record<string, string> | null;

  @Column(nullableJson)
  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Plugins: kind, id, version, sha256 of the package, and whether it is external to Espalier.',
  })
  plugins!: readonly PluginVersion[] | null;

  @Column(nullableText)
  @Field(() => String, { nullable: true, description: 'Git revision of the installation.' })
  gitRevision!: string | null;
}
