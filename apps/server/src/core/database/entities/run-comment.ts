import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, nullableBigint, nullableText } from '../columns.js';

/** What a person wrote about a run, or about a place in it: an alert, a step, a trajectory, its turn, its tokens. */
@Entity('run_comment')
@Index('run_comment_by_run', ['runId', 'createdAt', 'id'])
@Index('run_comment_by_idempotency_key', ['runId', 'idempotencyKey'], { unique: true })
export class RunComment {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  runId!: string;

  @Column(bigint)
  createdAt!: number;

  @Column('text')
  createdBy!: string;

  @Column('text')
  text!: string;

  @Column('int', { nullable: true })
  step!: number | null;

  /** key that wrote it; null: before keys were stored with comments */
  @Column(nullableText)
  keyId!: string | null;

  /** the comment that it answers, the first of its thread */
  @Column(nullableText)
  parentId!: string | null;

  @Column(nullableText)
  alertId!: string | null;

  @Column(nullableText)
  trajectoryId!: string | null;

  @Column('int', { nullable: true })
  turn!: number | null;

  /** first of its tokens, and the one after the last */
  @Column('int', { nullable: true })
  tokenStart!: number | null;

  @Column('int', { nullable: true })
  tokenEnd!: number | null;

  @Column(nullableBigint)
  editedAt!: number | null;

  /** its text was deleted; it stays, empty, because it has answers */
  @Column(nullableBigint)
  deletedAt!: number | null;

  /** key of the request that added it, chosen by the client */
  @Column(nullableText)
  idempotencyKey!: string | null;
}
