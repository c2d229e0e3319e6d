import type { StopReason } from '@espalier/contracts';
import type { FailureLabel } from '@espalier/contracts/failure-labels';
import type { UpdateOutcome } from '@espalier/contracts/update-record';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, bigintKey, json, nullableFloat, nullableJson, nullableText } from '../columns.js';

/** A trajectory in lists; its tokens are in the run's trajectory files. */
@Entity('trajectory')
@Index('trajectory_by_step', ['runId', 'step', 'searchKey', 'superseded'])
@Index('trajectory_by_reward', ['runId', 'reward', 'searchKey', 'superseded'])
@Index('trajectory_step', ['step', 'searchKey', 'superseded', 'runId'])
@Index('trajectory_reward', ['reward', 'searchKey', 'superseded', 'runId'])
@Index('trajectory_by_state', ['stateSeed', 'runId'])
@Index('trajectory_by_id', ['runId', 'id'])
@Index('trajectory_by_search_key', ['searchKey'], { unique: true })
export class TrajectoryEntity {
  @PrimaryColumn('text')
  runId!: string;

  @PrimaryColumn(bigintKey)
  cursor!: number;

  @Column('text')
  id!: string;

  @Column('int')
  attempt!: number;

  @Column('int')
  step!: number;

  @Column('text')
  environment!: string;

  /** in a run of several environments */
  @Column(nullableText)
  environmentTag!: string | null;

  @Column('text')
  split!: string;

  @Column('int', { name: 'group_index' })
  group!: number;

  @Column('int')
  index!: number;

  @Column('double precision')
  stateSeed!: number;

  @Column(nullableFloat)
  reward!: number | null;

  @Column(nullableFloat)
  environmentReward!: number | null;

  @Column('boolean')
  success!: boolean;

  @Column('text')
  stopReason!: StopReason;

  /** what went wrong */
  @Column(json)
  labels!: readonly FailureLabel[];

  @Column('int')
  turns!: number;

  @Column('int')
  tokens!: number;

  @Column('int')
  sampledTokens!: number;

  @Column('boolean')
  kept!: boolean;

  /** why its group did not enter the batch */
  @Column(nullableJson)
  dropped!: { readonly reason: string; readonly numbers: Readonly<Record<string, number | null>> } | null;

  /** what became of it in the update of its step; null: never to be trained on, or by an older version */
  @Column(nullableText)
  outcome!: UpdateOutcome | null;

  @Column({ type: 'int', nullable: true })
  lossTokens!: number | null;

  @Column({ type: 'int', nullable: true })
  clippedTokens!: number | null;

  @Column(nullableFloat)
  updateShare!: number | null;

  @Column(nullableText)
  error!: string | null;

  @Column('boolean')
  superseded!: boolean;

  /** its number in the full-text index, unique in the database; within a run in the order of cursors */
  @Column(bigint)
  searchKey!: number;

  /** observations and responses, cut at 20,000 characters; read only on request */
  @Column('text', { select: false })
  text!: string;
}
