import type { JobNeeds, JobState } from '@espalier/protocol';
import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../database/columns.js';
import { JobStateEnum } from '../graphql/job-state.js';
import { latestCost, messageCost, specCost } from '../graphql/field-costs.js';
import { DateTimeScalar, JsonScalar } from '../graphql/scalars.js';

export { JobStateEnum };

/** A run: a resolved spec, and everything that became of it. */
@Entity('run')
@ObjectType({ description: 'A training run: a resolved spec, and everything that became of it.' })
@Index('run_by_project', ['project', 'createdAt', 'id'])
@Index('run_by_state', ['state', 'createdAt'])
@Index('run_by_import_key', ['importKey'])
export class Run {
  @PrimaryColumn('text')
  @Field(() => ID, { description: 'Sorts by age.' })
  id!: string;

  @Column('text')
  @Field(() => String, { description: 'The project it belongs to; API keys are scoped to projects.' })
  project!: string;

  @Column('text')
  @Field(() => String, { description: 'Name for people; need not be unique.' })
  name!: string;

  @Column('text')
  @Field(() => JobStateEnum, { description: 'Where it stands.' })
  state!: JobState;

  @Column('text')
  @Field(() => String, {
    description: 'Why it stands there, in a sentence; empty when there is nothing to say.',
    complexity: messageCost,
  })
  message!: string;

  @Column('int')
  @Field(() => Int, { description: 'Higher is placed first; −100 to 100.' })
  priority!: number;

  @Column(json)
  @Field(() => [String], { description: 'Labels for finding it again.' })
  tags!: string[];

  @Column('text')
  @Field(() => String, { description: 'What somebody wrote about it.', complexity: messageCost })
  note!: string;

  @Column(json)
  @Field(() => JsonScalar, {
    description: 'The resolved spec: every option with its value.',
    complexity: specCost,
  })
  spec!: Record<string, unknown>;

  @Column('text')
  @Field(() => String, { description: 'sha256 of the resolved spec; equal for runs that do the same.' })
  specHash!: string;

  @Column(nullableText)
  @Field(() => String, {
    nullable: true,
    description: 'The configuration as it was given, if as text.',
    complexity: specCost,
  })
  source!: string | null;

  @Column(json)
  @Field(() => [String], { description: 'Overrides that were given with it, `path=value`.' })
  overrides!: string[];

  @Column(json)
  needs!: JobNeeds;

  @Column(bigint)
  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt!: number;

  @Column('text')
  @Field(() => String, { description: 'Name of the key it was created with.' })
  createdBy!: string;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When its first attempt began.' })
  startedAt!: number | null;

  @Column(nullableBigint)
  @Field(() => DateTimeScalar, { nullable: true, description: 'When it came to rest.' })
  endedAt!: number | null;

  @Column('int')
  @Field(() => Int, { description: 'Steps done, as its newest metrics tell; −1 before the first.' })
  step!: number;

  @Column('int')
  @Field(() => Int, { description: 'Iterations it is to have.' })
  steps!: number;

  @Column(json)
  @Field(() => JsonScalar, {
    description: 'Newest value of every metric, by name.',
    complexity: latestCost,
  })
  latest!: Record<string, number | null>;

  @Column('int')
  @Field(() => Int, { description: 'Warnings so far.' })
  warnings!: number;

  @Column(bigint)
  @Field(() => Float, {
    description: 'Cursor of its newest record; follow from here to see only what is new.',
  })
  head!: number;

  @Column(nullableText)
  @Field(() => ID, { nullable: true, description: 'The run it was forked from.' })
  parentRunId!: string | null;

  @Column('int', { nullable: true })
  @Field(() => Int, { nullable: true, description: 'Step of the checkpoint it was forked from.' })
  parentStep!: number | null;

  @Column(nullableText)
  @Field(() => String, {
    nullable: true,
    description: 'Where its first attempt ran; each attempt has its own.',
  })
  host!: string | null;

  @Column(nullableText)
  @Field(() => String, {
    nullable: true,
    description: 'Git revision of the installation its first attempt ran with.',
  })
  gitRevision!: string | null;

  @Column(nullableJson)
  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Versions of libraries its first attempt ran with.',
  })
  versions!: Record<string, string> | null;

  @Column(nullableJson)
  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Plugins it was made with: kind, id, version, sha256; each attempt has its own.',
  })
  plugins!: readonly { kind: string; id: string; version: string; sha256: string }[] | null;

  @Column('boolean')
  @Field(() => Boolean, { description: 'It was made without this server and imported.' })
  imported!: boolean;

  /** what an import is known again by: which run it is, and what the folder held; see runs/import */
  @Column(nullableText)
  importKey!: string | null;

  @Column(nullableText)
  importContent!: string | null;

  /** Checkpoint folder among the parent's artifacts whose weights it begins with. */
  @Column(nullableText)
  @Field(() => String, { nullable: true, description: 'Checkpoint of the parent that it begins from.' })
  forkPath!: string | null;

  /** what text search reads; see search-text.ts */
  @Column('text')
  search!: string;
}
