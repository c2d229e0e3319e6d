import type { JobNeeds, JobState } from '@espalier/protocol';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../columns.js';

/** A run: a resolved spec, and everything that became of it. */
@Entity('run')
@Index('run_by_project', ['project', 'createdAt', 'id'])
@Index('run_by_state', ['state', 'createdAt'])
@Index('run_by_import_key', ['importKey'])
export class Run {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  project!: string;

  @Column('text')
  name!: string;

  @Column('text')
  state!: JobState;

  @Column('text')
  message!: string;

  @Column('int')
  priority!: number;

  @Column(json)
  tags!: string[];

  @Column('text')
  note!: string;

  @Column(json)
  spec!: Record<string, unknown>;

  @Column('text')
  specHash!: string;

  @Column(nullableText)
  source!: string | null;

  @Column(json)
  overrides!: string[];

  @Column(json)
  needs!: JobNeeds;

  @Column(bigint)
  createdAt!: number;

  @Column('text')
  createdBy!: string;

  @Column(nullableBigint)
  startedAt!: number | null;

  @Column(nullableBigint)
  endedAt!: number | null;

  @Column('int')
  step!: number;

  @Column('int')
  steps!: number;

  @Column(json)
  latest!: Record<string, number | null>;

  @Column('int')
  warnings!: number;

  @Column(bigint)
  head!: number;

  @Column(nullableText)
  parentRunId!: string | null;

  @Column('int', { nullable: true })
  parentStep!: number | null;

  @Column(nullableText)
  host!: string | null;

  @Column(nullableText)
  gitRevision!: string | null;

  @Column(nullableJson)
  versions!: Record<string, string> | null;

  @Column(nullableJson)
  plugins!: readonly { kind: string; id: string; version: string; sha256: string }[] | null;

  @Column('boolean')
  imported!: boolean;

  /** what an import is known again by: which run it is, and what the folder held; see runs/import */
  @Column(nullableText)
  importKey!: string | null;

  @Column(nullableText)
  importContent!: string | null;

  /** Checkpoint folder among the parent's artifacts whose weights it begins with. */
  @Column(nullableText)
  forkPath!: string | null;

  /** what text search reads; see search-text.ts */
  @Column('text')
  search!: string;
}
