import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, bigintKey, json } from '../columns.js';

/** Kinds of which a run has so many that lists of its other events pass them over. */
export const manifoldKinds = ['metrics', 'trajectory', 'log'] as const;
/** The records of all other kinds; a query with this very condition reads them along their index. */
export const isRareKind = `kind NOT IN (${manifoldKinds.map((kind) => `'${kind}'`).join(', ')})`;

/**
 * One event of a run. The records of a run, ordered by cursor, are its complete history: followers read them from a
 * cursor on, and every other table about a run can be rebuilt from them. Kinds: `metrics`,
 * `trajectory`, `checkpoint`, `warning`, `monitor`, `run-started`, `run-ended`, `log`, `artifact`, `state`, `evaluated`,
 * `process-started`, `process-ended`, `note`.
 */
@Entity('run_record')
@Index('run_record_rare', ['runId', 'cursor', 'kind', 'step'], { where: isRareKind })
export class RunRecord {
  @PrimaryColumn('text')
  runId!: string;

  /** from 1, without gaps, in the order of arrival */
  @PrimaryColumn(bigintKey)
  cursor!: number;

  @Column('text')
  kind!: string;

  /** number of the attempt it came from; 0: from the server itself */
  @Column('int')
  attempt!: number;

  /** −1 where it belongs to no step */
  @Column('int')
  step!: number;

  /** ms since the epoch */
  @Column(bigint)
  time!: number;

  @Column(json)
  body!: Record<string, unknown>;
}
