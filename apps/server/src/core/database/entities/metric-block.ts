import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { bigint, bigintKey, nullableFloat } from '../columns.js';

/** Everything but the values, so that extents are read without them. */
const extentColumns = [
  'runId',
  'name',
  'firstCursor',
  'attempt',
  'firstStep',
  'lastStep',
  'count',
  'numbers',
  'min',
  'minStep',
  'max',
  'maxStep',
  'firstTime',
  'lastTime',
  'minTime',
  'maxTime',
  'sum',
];

/**
 * The values of one metric of one attempt in up to 256 consecutive rows of a run, packed, with their extent; from
 * which history is read. The blocks of a chunk of rows are written together, when the chunk is full.
 */
@Entity('metric_block')
@Index('metric_block_by_cursor', ['runId', 'lastCursor'])
@Index('metric_block_extent', extentColumns)
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

  /** values, including NaN */
  @Column('int')
  count!: number;

  /** values that are not NaN */
  @Column('int')
  numbers!: number;

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

  /** ms since the epoch, as the next three */
  @Column('double precision')
  firstTime!: number;

  @Column('double precision')
  lastTime!: number;

  /** of the least value */
  @Column('double precision')
  minTime!: number;

  /** of the greatest value */
  @Column('double precision')
  maxTime!: number;

  /** base64 of Int32, little-endian; empty when the steps are firstStep, firstStep + 1, … */
  @Column('text')
  packedSteps!: string;

  /** base64 of Int32, or of Float64 where that is too narrow: milliseconds after firstTime */
  @Column('text')
  packedTimes!: string;

  /** base64 of Float64, little-endian; with NaN */
  @Column('text')
  packedValues!: string;
}
