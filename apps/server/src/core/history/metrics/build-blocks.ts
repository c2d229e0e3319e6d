/** @file Packs rows of metrics into blocks, and unpacks them. */
import { fromBase64, toBase64 } from '@espalier/contracts/values';
import type { MetricBlock } from '../../database/entities/metric-block.js';

/** One stored row of metrics. */
export interface MetricRow {
  readonly cursor: number;
  readonly attempt: number;
  readonly step: number;
  /** ms since the epoch */
  readonly time: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** Rows of a block. */
export const rowsPerBlock = 256;

/** Packs a chunk of rows of a run: one block per attempt and metric. */
export function buildBlocks(runId: string, rows: readonly MetricRow[]): MetricBlock[] {
  const columns = new Map<string, { name: string; rows: MetricRow[]; values: number[] }>();
  for (const row of rows) {
    for (const name in row.values) {
      const key = `${row.attempt}:${name}`;
      let column = columns.get(key);
      if (column === undefined) columns.set(key, (column = { name, rows: [], values: [] }));
      column.rows.push(row);
      column.values.push(row.values[name] ?? Number.NaN);
    }
  }
  return [...columns.values()].map((column) => toBlock(runId, column.name, column.rows, column.values));
}

function toBlock(runId: string, name: string, rows: MetricRow[], values: number[]): MetricBlock {
  const first = rows[0] as MetricRow;
  const last = rows.at(-1) as MetricRow;
  const steps = rows.map(({ step }) => step);
  const extent = { min: null as number | null, max: null as number | null };
  let least = first;
  let greatest = first;
  let sum = 0;
  let numbers = 0;
  rows.forEach((row, index) => {
    const value = values[index] as number;
    if (Number.isNaN(value)) return;
    numbers += 1;
    sum += value;
    if (extent.min === null || value < extent.min) {
      extent.min = value;
      least = row;
    }
    if (extent.max === null || value > extent.max) {
      extent.max = value;
      greatest = row;
    }
  });
  return {
    runId,
    name,
    attempt: first.attempt,
    firstCursor: first.cursor,
    lastCursor: last.cursor,
    firstStep: Math.min(...steps),
    lastStep: Math.max(...steps),
    count: rows.length,
    numbers,
    ...extent,
    minStep: least.step,
    maxStep: greatest.step,
    firstTime: first.time,
    lastTime: last.time,
    minTime: least.time,
    maxTime: greatest.time,
    sum: Number.isFinite(sum) ? sum : 0,
    packedSteps: packSteps(rows),
    packedTimes: packTimes(rows),
    packedValues: toBase64(Float64Array.from(values)),
  };
}

function packSteps(rows: readonly MetricRow[]): string {
  const first = (rows[0] as MetricRow).step;
  if (rows.every(({ step }, index) => step === first + index)) return '';
  return toBase64(Int32Array.from(rows, ({ step }) => step));
}

/** Packs times as offsets from the first; 64 bits wide only where 32 do not suffice. */
function packTimes(rows: MetricRow[]): string {
  const first = (rows[0] as MetricRow).time;
  const offsets = rows.map(({ time }) => time - first);
  const isNarrow = offsets.every((offset) => Math.abs(offset) < 2 ** 31);
  return toBase64(isNarrow ? Int32Array.from(offsets) : Float64Array.from(offsets));
}

/** Unpacks the times of a block, as offsets from its first. */
export function unpackTimes(packed: string, count: number): Int32Array | Float64Array {
  const bytes = fromBase64(packed);
  return bytes.byteLength === 4 * count ? new Int32Array(bytes) : new Float64Array(bytes);
}

/** Unpacks the steps of a block. */
export function unpackSteps(packed: string): Int32Array {
  return new Int32Array(fromBase64(packed));
}

let scratch = new Float64Array(rowsPerBlock);

/** Unpacks the values of a block into memory that the next call reuses. */
export function decodeValues(packed: string, count: number): Float64Array {
  if (count > scratch.length) scratch = new Float64Array(count);
  Buffer.from(scratch.buffer).write(packed, 'base64');
  return scratch.subarray(0, count);
}
