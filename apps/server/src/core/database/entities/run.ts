import type { JobNeeds, JobState, PluginVersion } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../columns.js';

/**
 * A run: a resolved spec and its results. Columns that lists omit have no initial value here, so that they are undefined
 * in a list.
 */
@Entity('run')
@Index('run_by_creation', ['createdAt', 'id'])
@Index('run_by_project', ['project', 'createdAt', 'id'])
@Index('run_by_group', ['project', 'group', 'state', 'createdAt'])
@Index('run_by_state', ['state', 'createdAt'])
@Index('run_by_import_key', ['importKey'])
@Index('run_by_idempotency_key', ['project', 'idempotencyKey'], { unique: true })
export class Run {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  project!: string;

  @Column('text')
  name!: string;

  @Column('text')
  title = '';

  @Column('text')
  state: JobState = 'queued';

  @Column('text')
  message = '';

  @Column('int')
  priority = 0;

  @Column(json)
  tags: string[] = [];

  /** what it belongs to, such as a sweep; empty: nothing */
  @Column('text', { name: 'group_name' })
  group = '';

  @Column('text')
  note = '';

  @Column(json)
  spec!: Record<string, unknown>;

  @Column('text')
  specHash!: string;

  @Column(nullableText)
  source!: string | null;

  @Column(json)
  overrides: string[] = [];

  @Column(json)
  needs!: JobNeeds;

  @Column(bigint)
  createdAt!: number;

  @Column('text')
  createdBy!: string;

  @Column(nullableBigint)
  startedAt: number | null = null;

  @Column(nullableBigint)
  endedAt: number | null = null;

  @Column('int')
  step = -1;

  @Column('int')
  steps = 0;

  @Column(json)
  latest: Record<string, number | null> = {};

  @Column('int')
  warnings = 0;

  @Column(bigint)
  head = 0;

  @Column(nullableText)
  parentRunId: string | null = null;

  @Column('int', { nullable: true })
  parentStep: number | null = null;

  /** a fork goes on with everything the checkpoint of its parent holds, not with the weights only */
  @Column('boolean')
  continues = false;

  @Column(nullableText)
  host: string | null = null;

  @Column(nullableText)
  gitRevision: string | null = null;

  @Column(nullableJson)
  versions: Record<string, string> | null = null;

  @Column(nullableJson)
  plugins: readonly PluginVersion[] | null = null;

  @Column('boolean')
  imported = false;

  /** identifies an import: which run it is, and what its folder held; see runs/import */
  @Column(nullableText)
  importKey: string | null = null;

  @Column(nullableText)
  importContent!: string | null;

  /** key of the request that created it, chosen by the client, and the sha256 of that request; see runs/create/idempotency.ts */
  @Column(nullableText)
  idempotencyKey: string | null = null;

  @Column(nullableText)
  requestHash: string | null = null;

  /** Checkpoint folder among the parent's artifacts that it starts from. */
  @Column(nullableText)
  forkPath: string | null = null;

  /** what text search reads; see runs/create/new-run.ts */
  @Column('text')
  search!: string;
}
