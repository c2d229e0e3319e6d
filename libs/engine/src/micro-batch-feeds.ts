/**
 * @file What a micro-batch feeds to a graph over sequences, and how outputs over loss positions find their sequences.
 */
import type { Datum, LossSpec, ScoreRequest } from '@espalier/contracts';
import { COLUMN, layoutOf, type PackedRows, packRows } from '@espalier/model';
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

/** How sizes that are part of a graph are rounded up, so that few graphs serve calls of all lengths. */
export interface SizeSteps {
  /** most rows of a block of attention; default: what suits a CPU */
  readonly blockRows?: number | undefined;
  /**
   * Opening a graph takes as long as thousands of rows: blocks come in powers of four, and every graph has a prefix, with or
   * without rows. A block more costs nodes and no arithmetic, because the rows of a block are left open.
   */
  readonly isCoarse?: boolean;
}

/** Blocks of own rows there are at least where sizes are coarse: 1,024 rows of 256 a block. */
const COARSE_OWN_BLOCKS = 4;

/** One layout for all micro-batches of a call. */
export function commonLayout(
  batches: readonly MicroBatch<ScoreRequest>[],
  { blockRows, isCoarse = false }: SizeSteps = {},
): PackedRows['layout'] {
  const own = batches.map((batch) => layoutOf(groupsOf(batch), blockRows));
  const most = (of: (layout: PackedRows['layout']) => number, least: number): number =>
    own.reduce((blocks, layout) => Math.max(blocks, powerOf(isCoarse ? 4 : 2, of(layout))), least);
  return {
    prefixBlocks: most(({ prefixBlocks }) => prefixBlocks, isCoarse ? 1 : 0),
    ownBlocks: most(({ ownBlocks }) => ownBlocks, isCoarse ? COARSE_OWN_BLOCKS : 0),
    ...(blockRows === undefined ? {} : { blockRows }),
    ...(isCoarse ? { keepsPrefix: true } : {}),
  };
}

/**
 * Loss positions of all micro-batches of a call where these are part of a graph: those of the largest, rounded up.
 *
 * @param step they come in multiples of it; default: in powers of two
 */
export function commonLossRows(batches: readonly MicroBatch<ScoreRequest>[], step?: number): number {
  const most = batches.reduce((sofar, { count }) => Math.max(sofar, count), 0);
  return step === undefined ? powerOf(2, most) : Math.ceil(most / step) * step;
}

/** The least power of a base that is no less; 0 for 0. */
function powerOf(base: number, count: number): number {
  let power = Math.min(1, count);
  while (power < count) power *= base;
  return power;
}

function groupsOf({ groups }: MicroBatch<ScoreRequest>): PackedGroup[] {
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
