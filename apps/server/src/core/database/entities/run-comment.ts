import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, nullableText } from '../columns.js';

/** What a person wrote about a run, or about a step of it. */
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

  /** key of the request that added it, chosen by the client */
  @Column(nullableText)
  idempotencyKey!: string | null;
}
