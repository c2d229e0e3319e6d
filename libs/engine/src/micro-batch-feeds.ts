/**
 * @file What a micro-batch feeds to a graph over sequences, and how outputs over loss positions find their sequences.
 */
import type { Datum, LossSpec, ScoreRequest } from '@espalier/contracts';
import { COLUMN, type PackedRows, packRows } from '@espalier/model';
import { dropoutFeeds, dropoutNext } from '@espalier/model/adapters';
import type { RuntimeTensor } from '@espalier/runtime';
import { type MicroBatch, type MicroBatchItem, neededTokens } from './micro-batches.js';

type PackedGroup = Parameters<typeof packRows>[0][number];

/**
 * Lays the sequences of a micro-batch out as rows.
 *
 * @param least rows that there must be; what is missing are sequences of which nothing is counted
 */
export function packMicroBatch(
  batch: MicroBatch<ScoreRequest>,
  heads: { readonly query: number; readonly key: number },
  least = 0,
  layout?: PackedRows['layout'],
): PackedRows {
  const packed = groupsOf(batch);
  const missing = least - packed.reduce((rows, group) => rows + countRows(group), 0);
  if (missing <= 0) return packRows(packed, heads, layout);
  const rows = packRows([...packed, fillingOf(packed, missing)], heads, layout);
  return { ...rows, paddedRows: rows.paddedRows + missing };
}

/** Groups of a micro-batch as they are packed: every member comes after the prefix. */
export function groupsOf({ groups }: MicroBatch<ScoreRequest>): PackedGroup[] {
  return groups.map(({ prefix, items }): PackedGroup => {
    const sequences = items.map(({ request }) => neededTokens(request));
    return {
      prefix: (sequences[0] as Int32Array).subarray(0, prefix),
      members: sequences.map((tokens) => tokens.subarray(prefix)),
    };
  });
}

function countRows({ prefix, members }: PackedGroup): number {
  return members.reduce((rows, { length }) => rows + length, prefix.length);
}

/** So many rows as sequences that are no longer than those that are there. */
function fillingOf(groups: readonly PackedGroup[], missing: number): PackedGroup {
  const longest = groups
    .flatMap(({ members }) => members)
    .reduce((most, { length }) => Math.max(most, length), -Infinity);
  const members: Int32Array[] = [];
  for (let left = missing; left > 0; left -= longest) members.push(new Int32Array(Math.min(left, longest)));
  return { prefix: new Int32Array(0), members };
}

/** Feeds that every graph over sequences has. `rows` is the (possibly padded) number of loss positions. */
export function sequenceFeeds(
  batch: MicroBatch<ScoreRequest>,
  packed: PackedRows,
  rows: number,
): Record<string, RuntimeTensor> {
  const places = new BigInt64Array(rows);
  const targets = new BigInt64Array(rows);
  let n = 0;
  batch.groups.forEach(({ items }, group) => {
    items.forEach(({ request: { tokens, positions } }, index) => {
      for (const position of positions) {
        places[n] = BigInt(packed.rowOf(group, index, position - 1));
        targets[n] = BigInt(tokens[position] ?? 0);
        n += 1;
      }
    });
  });
  return {
    ...packed.feeds,
    rows: { dtype: 'int64', shape: [rows], values: places },
    targets: { dtype: 'int64', shape: [rows], values: targets },
    inverse_temperature: columnFeed(batch, rows, 1, (request) => 1 / (request.temperature ?? 1)),
  };
}

/** Feeds of dropout: each row has keys that follow from `start` and the tokens up to it. */
export function dropoutKeys(
  { groups }: MicroBatch<ScoreRequest>,
  packed: PackedRows,
  start: number,
): Record<string, RuntimeTensor> {
  const states = new Uint32Array(packed.rowCount);
  groups.forEach(({ items }, group) =>
    items.forEach(({ request }, index) => {
      let state = start;
      neededTokens(request).forEach((token, position) => {
        state = dropoutNext(state, token);
        states[packed.rowOf(group, index, position)] = state;
      });
    }),
  );
  return dropoutFeeds(states);
}

/** What a loss is fed: the weight of every loss position, and the columns that it asks for. */
export function lossFeeds(
  batch: MicroBatch<Datum>,
  rows: number,
  loss: LossSpec,
): Record<string, RuntimeTensor> {
  const columns = loss.columns.map((name) => {
    return [
      `${COLUMN}${name}`,
      columnFeed(batch, rows, 0, (datum, i) => datum.columns[name]?.[i] ?? 0),
    ] as const;
  });
  return {
    weights: columnFeed(batch, rows, 0, (datum, i) => datum.weights[i] ?? 0),
    ...Object.fromEntries(columns),
  };
}

/** One number per loss position, padded with `padding`. */
export function columnFeed<T extends ScoreRequest>(
  batch: MicroBatch<T>,
  rows: number,
  padding: number,
  pick: (request: T, i: number) => number,
): RuntimeTensor {
  const values = new Float32Array(rows).fill(padding);
  let n = 0;
  for (const { request } of itemsOf(batch)) {
    for (let i = 0; i < request.positions.length; i += 1) values[n++] = pick(request, i);
  }
  return { dtype: 'float32', shape: [rows], values };
}

/** Cuts an output over loss positions back into one array per item. */
export function cutRows(
  batch: MicroBatch<ScoreRequest>,
  values: Float32Array,
): { readonly index: number; readonly values: Float32Array }[] {
  let n = 0;
  return itemsOf(batch).map(({ index, request }) => {
    const part = values.slice(n, n + request.positions.length);
    n += request.positions.length;
    return { index, values: part };
  });
}

function itemsOf<T extends ScoreRequest>({ groups }: MicroBatch<T>): MicroBatchItem<T>[] {
  return groups.flatMap(({ items }) => items);
}
