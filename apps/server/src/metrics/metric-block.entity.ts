import { Column, Entity, PrimaryColumn } from 'typeorm';
import { bigint, bigintKey, nullableFloat } from '../database/columns.js';

/** Extent of up to 256 consecutive values of one metric of one attempt; what decimated history is read from. */
@Entity('metric_block')
export class MetricBlock {
  @PrimaryColumn('text')
  runId!: string;

  @PrimaryColumn('text')
  name!: string;

  @PrimaryColumn('int')
  attempt!: number;

  @PrimaryColumn(bigintKey)
  firstCursor!: number;

  @Column(bigint)
  lastCursor!: number;

  @Column('int')
  firstStep!: number;

  @Column('int')
  lastStep!: number;

  @Column('int')
  count!: number;

  @Column(nullableFloat)
  min!: number | null;

  @Column('int')
  minStep!: number;

  @Column(nullableFloat)
  max!: number | null;

  @Column('int')
  maxStep!: number;

  @Column('double precision')
  sum!: number;
}
