/** @file Packs rows of metrics into blocks, and unpacks them. */
import type { MetricBlock } from '../../database/entities/metric-block.js';

/** One stored row of metrics. */
export interface MetricRow {
  readonly cursor: number;
  readonly attempt: number;
  readonly step: number;
  readonly values: Readonly<Record<string, number | null>>;
}

/** Rows of a block. */
export const rowsPerChunk = 256;

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
  const extent = { min: null as number | null, minStep: first.step, max: null as number | null };
  let [maxStep, sum, numbers] = [first.step, 0, 0];
  rows.forEach(({ step }, index) => {
    const value = values[index] as number;
    if (Number.isNaN(value)) return;
    numbers += 1;
    sum += value;
    if (extent.min === null || value < extent.min) [extent.min, extent.minStep] = [value, step];
    if (extent.max === null || value > extent.max) [extent.max, maxStep] = [value, step];
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
    maxStep,
    sum: Number.isFinite(sum) ? sum : 0,
    packedSteps: packSteps(rows),
    packedValues: toBase64(Float64Array.from(values)),
  };
}

function packSteps(rows: readonly MetricRow[]): string {
  const first = (rows[0] as MetricRow).step;
  if (rows.every(({ step }, index) => step === first + index)) return '';
  return toBase64(Int32Array.from(rows, ({ step }) => step));
}

/** Unpacks the steps of a block. */
export function unpackSteps(packed: string): Int32Array {
  return new Int32Array(fromBase64(packed));
}

let scratch = new Float64Array(rowsPerChunk);

/** Unpacks the values of a block into memory that the next call reuses. */
export function decodeValues(packed: string, count: number): Float64Array {
  if (count > scratch.length) scratch = new Float64Array(count);
  Buffer.from(scratch.buffer).write(packed, 'base64');
  return scratch.subarray(0, count);
}

function toBase64(array: Int32Array | Float64Array): string {
  return Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');
}

/** A copy with its own aligned buffer. */
function fromBase64(text: string): ArrayBuffer {
  const { buffer, byteOffset, byteLength } = Buffer.from(text, 'base64');
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
}
