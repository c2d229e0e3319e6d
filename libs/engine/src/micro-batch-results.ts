/** @file What graphs over sequences give, as results of requests. */
import type { ComputedWork, Datum, ScoreRequest } from '@espalier/contracts';
import { METRIC, type PackedRows } from '@espalier/model';
import type { RuntimeTensor } from '@espalier/runtime';
import { cutRows } from './micro-batch-feeds.js';
import type { MicroBatch } from './micro-batches.js';

/** Results of requests before anything is computed. */
export function emptyResults(
  requests: readonly ScoreRequest[],
  names: readonly string[],
): Record<string, Float32Array>[] {
  return requests.map(() => Object.fromEntries(names.map((name) => [name, new Float32Array(0)])));
}

/** Puts the outputs of a micro-batch where its requests are. */
export function collectRows(
  batch: MicroBatch<ScoreRequest>,
  outputs: Readonly<Record<string, RuntimeTensor>>,
  names: readonly string[],
  results: Record<string, Float32Array>[],
): void {
  for (const name of names) {
    for (const { index, values } of cutRows(batch, outputs[name]?.values as Float32Array)) {
      const result = results[index];
      if (result !== undefined) result[name] = values;
    }
  }
}

/** Adds up the loss and the metrics over positions in double precision; padded rows weigh nothing but are left out too. */
export function addTotals(
  outputs: Readonly<Record<string, RuntimeTensor>>,
  count: number,
  totals: Map<string, number>,
): void {
  for (const [name, output] of Object.entries(outputs)) {
    if (name !== 'loss' && !name.startsWith(METRIC)) continue;
    const values = output.values as Float32Array;
    let total = totals.get(name) ?? 0;
    for (let n = 0; n < count; n += 1) total += values[n] as number;
    totals.set(name, total);
  }
}

/** What was computed for a batch. */
export function measureWork(data: readonly Datum[], layouts: readonly PackedRows[]): ComputedWork {
  const total = <T>(items: readonly T[], count: (item: T) => number): number =>
    items.reduce((sofar, item) => sofar + count(item), 0);
  return {
    tokens: total(data, ({ tokens }) => tokens.length),
    rows: total(layouts, ({ rowCount }) => rowCount),
    paddedRows: total(layouts, ({ paddedRows }) => paddedRows),
    attentionCells: total(layouts, ({ placeCount }) => placeCount),
    paddedAttentionCells: total(
      layouts,
      ({ placeCount, rowCount, paddedRows }) => placeCount - rowCount + paddedRows,
    ),
  };
}
