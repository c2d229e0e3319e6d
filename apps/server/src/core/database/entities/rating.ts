/** @file Sets of trajectories that people rate, their raters and ratings. */
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json, nullableBigint, nullableJson, nullableText } from '../columns.js';

export const ratingKinds = {
  pairwise: 'which of two is better, sides shuffled',
  rubric: 'each by the criteria of a rubric',
} as const;
export type RatingKind = keyof typeof ratingKinds;

export const ratingChoices = {
  a: 'the one of source a is better',
  b: 'the one of source b is better',
  tie: 'neither is better',
} as const;
export type RatingChoice = keyof typeof ratingChoices;

export const ratingScales = {
  'yes-no': '0 no, 1 yes; agreement is nominal',
  'one-to-five': '1 to 5; agreement is ordinal',
} as const;
export type RatingScale = keyof typeof ratingScales;

/** What trajectories are rated by. */
export class RatingCriterion {
  name!: string;

  question!: string;

  scale!: RatingScale;

  /** what the lowest and the highest value mean */
  low!: string;

  high!: string;
}

/** Where trajectories of a set come from, and how they were drawn. */
export class RatingSource {
  runId!: string;

  runName!: string;

  fromStep!: number;

  toStep!: number;

  split!: string | null;

  /** trajectories there, and those of the set */
  available!: number;

  taken!: number;
}

@Entity('rating_set')
@Index('rating_set_by_project', ['project', 'createdAt', 'id'])
export class RatingSet {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  project!: string;

  @Column('text')
  name!: string;

  @Column('text')
  kind!: RatingKind;

  /** what raters are asked; may be empty */
  @Column('text')
  instructions!: string;

  @Column(json)
  criteria!: readonly RatingCriterion[];

  /** one, or a and b */
  @Column(json)
  sources!: readonly RatingSource[];

  /** which trajectories were drawn, and the order and sides of each rater */
  @Column('int')
  seed!: number;

  @Column('int')
  size!: number;

  @Column('text')
  createdBy!: string;

  @Column('text')
  keyId!: string;

  @Column(bigint)
  createdAt!: number;

  @Column(nullableBigint)
  closedAt!: number | null;

  @Column(nullableText)
  closedBy!: string | null;
}

/** A trajectory of a set, or two. */
@Entity('rating_item')
@Index('rating_item_by_run', ['runId'])
@Index('rating_item_by_other_run', ['otherRunId'])
export class RatingItem {
  @PrimaryColumn('text')
  setId!: string;

  @PrimaryColumn('int')
  position!: number;

  /** of its sources */
  @Column('int')
  source!: number;

  @Column('text')
  runId!: string;

  @Column('text')
  trajectoryId!: string;

  /** the second of two; null in a rubric */
  @Column(nullableText)
  otherRunId!: string | null;

  @Column(nullableText)
  otherTrajectoryId!: string | null;
}

@Entity('rating_rater')
export class Rater {
  @PrimaryColumn('text')
  setId!: string;

  @PrimaryColumn('text')
  keyId!: string;

  @Column('text')
  name!: string;

  @Column(bigint)
  startedAt!: number;

  /** since then it sees all results, and rates no more */
  @Column(nullableBigint)
  finishedAt!: number | null;
}

@Entity('rating')
export class Rating {
  @PrimaryColumn('text')
  setId!: string;

  @PrimaryColumn('int')
  position!: number;

  @PrimaryColumn('text')
  keyId!: string;

  /** null in a rubric */
  @Column(nullableText)
  choice!: RatingChoice | null;

  /** by the names of the criteria; null for pairs */
  @Column(nullableJson)
  scores!: Readonly<Record<string, number>> | null;

  @Column('text')
  reason!: string;

  @Column(bigint)
  time!: number;
}
