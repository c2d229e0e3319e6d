import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, json } from '../columns.js';

/** What users may say of an alert. */
export const alertJudgements = {
  confirmed: 'it was right: what it warns of has happened',
  'false-alarm': 'it was wrong: nothing was the matter',
  unclear: 'the evidence does not decide it',
} as const;
export type AlertJudgement = keyof typeof alertJudgements;

/** What a user says of an alert; each has one word. */
@Entity('alert_verdict')
@Index('alert_verdict_by_run', ['runId'])
@Index('alert_verdict_by_project', ['project'])
export class AlertVerdict {
  @PrimaryColumn('text')
  alertId!: string;

  @PrimaryColumn('text')
  keyId!: string;

  @Column('text')
  runId!: string;

  @Column('text')
  project!: string;

  /** of the alert, which is thus counted by rules without reading its event */
  @Column('text')
  code!: string;

  /** rules of the collapse monitor that fired; empty: none */
  @Column(json)
  rules!: readonly string[];

  @Column('text')
  judgement!: AlertJudgement;

  /** why; may be empty */
  @Column('text')
  reason!: string;

  @Column('text')
  createdBy!: string;

  @Column(bigint)
  time!: number;
}
