import type { RuleName } from '@espalier/contracts/health';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, nullableBigint, nullableJson, nullableText } from '../columns.js';

@Entity('alert')
@Index('alert_by_run', ['runId', 'time'])
@Index('alert_by_project', ['project', 'time'])
export class Alert {
  @PrimaryColumn('text')
  id!: string;

  @Column('text')
  runId!: string;

  @Column('text')
  project!: string;

  @Column('text')
  severity!: 'info' | 'warning' | 'error';

  @Column('text')
  code!: string;

  @Column('text')
  message!: string;

  @Column('int')
  step!: number;

  @Column(bigint)
  time!: number;

  @Column(nullableBigint)
  acknowledgedAt!: number | null;

  @Column(nullableText)
  acknowledgedBy!: string | null;

  /** rules of the collapse monitor that fired; null: none, or raised before rules were kept */
  @Column(nullableJson)
  rules!: readonly RuleName[] | null;

  /** key that looks after it; null: nobody */
  @Column(nullableText)
  assigneeId!: string | null;

  /** name of that key */
  @Column(nullableText)
  assignee!: string | null;
}
