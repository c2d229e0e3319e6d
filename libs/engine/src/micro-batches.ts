/**
 * @file Sequences cut into micro-batches: sorted by length so that padding stays small, padded on the right to a
 * multiple of 64 so that few graphs serve all. Results do not depend on the cut: losses are sums with given weights.
 */
import type { ScoreRequest } from '@espalier/contracts';
import type { RuntimeTensor } from '@espalier/runtime';

/** Padded lengths are multiples of this. */
export const LENGTH_STEP = 64;

/** Some sequences that are computed together. */
export interface MicroBatch<T extends ScoreRequest> {
  readonly items: readonly { readonly index: number; readonly request: T }[];
  readonly length: number; // T
  /** counted positions of all items */
  readonly count: number; // N
}

export interface MicroBatchLimits {
  /** padded tokens of a micro-batch; a longer sequence goes alone */
  readonly tokens: number;
  readonly contextLength: number;
}

/** Cuts requests into micro-batches; those that ask for nothing are left out. */
export function planMicroBatches<T extends ScoreRequest>(
  requests: readonly T[],
  limits: MicroBatchLimits,
): MicroBatch<T>[] {
  const items = requests
    .map((request, index) => ({ index, request }))
    .filter(({ request }) => request.positions.length > 0)
    .sort((a, b) => b.request.tokens.length - a.request.tokens.length || a.index - b.index);
  const batches: MicroBatch<T>[] = [];
  for (let start = 0; start < items.length;) {
    const length = paddedLength(items[start]?.request.tokens.length ?? 0);
    const rows = Math.max(1, Math.floor(limits.tokens / length));
    const chosen = items.slice(start, start + rows);
    const count = chosen.reduce((total, { request }) => total + request.positions.length, 0);
    batches.push({ items: chosen, length, count });
    start += rows;
  }
  return batches;
}

function paddedLength(length: number): number {
  return Math.ceil(length / LENGTH_STEP) * LENGTH_STEP;
}

/** Feeds that every graph over sequences has. `rows` is the (possibly padded) number of counted positions. */
export function sequenceFeeds(batch: MicroBatch<ScoreRequest>, rows: number): Record<string, RuntimeTensor> {
  const { items, length } = batch;
  const ids = new BigInt64Array(items.length * length);
  const places = new BigInt64Array(rows);
  const targets = new BigInt64Array(rows);
  let n = 0;
  items.forEach(({ request: { tokens, positions } }, row) => {
    for (let t = 0; t < tokens.length; t += 1) ids[row * length + t] = BigInt(tokens[t] ?? 0);
    for (const position of positions) {
      places[n] = BigInt(row * length + position - 1);
      targets[n] = BigInt(tokens[position] ?? 0);
      n += 1;
    }
  });
  return {
    ids: { dtype: 'int64', shape: [items.length, length], values: ids },
    rows: { dtype: 'int64', shape: [rows], values: places },
    targets: { dtype: 'int64', shape: [rows], values: targets },
    inverse_temperature: columnFeed(batch, rows, 1, (request, i) =>
      i < 0 ? 1 : 1 / (request.temperature ?? 1),
    ),
  };
}

/** One number per counted position, padded with `padding`. */
export function columnFeed<T extends ScoreRequest>(
  batch: MicroBatch<T>,
  rows: number,
  padding: number,
  pick: (request: T, i: number) => number,
): RuntimeTensor {
  const values = new Float32Array(rows).fill(padding);
  let n = 0;
  for (const { request } of batch.items) {
    for (let i = 0; i < request.positions.length; i += 1) values[n++] = pick(request, i);
  }
  return { dtype: 'float32', shape: [rows], values };
}

/** Cuts an output over counted positions back into one array per item. */
export function cutRows(
  batch: MicroBatch<ScoreRequest>,
  values: Float32Array,
): { readonly index: number; readonly values: Float32Array }[] {
  let n = 0;
  return batch.items.map(({ index, request }) => {
    const part = values.slice(n, n + request.positions.length);
    n += request.positions.length;
    return { index, values: part };
  });
}
