/**
 * @file Prefill: new tokens of waiting sequences enter the cache in as few runs as fit, and each sequence draws its
 * first token. Equal prompts (a group) are computed once and their rows copied.
 */
import type { RuntimeTensor } from '@espalier/runtime';
import { type CacheSlab, WIDTH_STEP } from './cache-slab.js';
import { drawColumns, isFiltered, takeDraw } from './draw-columns.js';
import { type Answer, noteCached } from './live-sequence.js';
import type { SamplingSessions } from './sampling-sessions.js';

/** Padded tokens of one prefill run. */
const RUN_TOKENS = 2048;
/** New tokens after a cached part are padded to multiples of this. */
const TURN_STEP = 16;

export interface PrefillContext {
  readonly sessions: SamplingSessions;
  readonly slab: CacheSlab;
  readonly vocabularySize: number;
  readonly contextLength: number;
}

/** One computed row and the answers that start from it; only fresh prompts have more than one. */
interface PrefillRow {
  readonly answers: Answer[];
  readonly cached: number;
  readonly tokens: Int32Array; // [t]
}

/** Prefills answers whose sequences own rows of the cache; every answer gets its first token. */
export async function prefill(answers: readonly Answer[], context: PrefillContext): Promise<void> {
  const fresh = answers.filter(({ sequence }) => sequence.cached === 0);
  const grown = answers.filter(({ sequence }) => sequence.cached > 0);
  for (const batch of cutRuns(shareRows(fresh), false)) await run(batch, false, context);
  for (const batch of cutRuns(grown.map(rowOf), true)) await run(batch, true, context);
}

function rowOf(answer: Answer): PrefillRow {
  const { cached } = answer.sequence;
  return { answers: [answer], cached, tokens: answer.request.tokens.subarray(cached) };
}

function shareRows(answers: readonly Answer[]): PrefillRow[] {
  const rows = new Map<string, PrefillRow>();
  for (const answer of answers) {
    const key = answer.request.tokens.join();
    const known = rows.get(key);
    if (known === undefined) rows.set(key, rowOf(answer));
    else known.answers.push(answer);
  }
  return [...rows.values()];
}

function cutRuns(rows: readonly PrefillRow[], hasPast: boolean): PrefillRow[][] {
  const sorted = [...rows].sort((a, b) => b.tokens.length - a.tokens.length);
  const runs: PrefillRow[][] = [];
  for (let start = 0; start < sorted.length;) {
    const length = paddedLength(sorted[start]?.tokens.length ?? 1, hasPast);
    const count = Math.max(1, Math.floor(RUN_TOKENS / length));
    runs.push(sorted.slice(start, start + count));
    start += count;
  }
  return runs;
}

function paddedLength(length: number, hasPast: boolean): number {
  const step = hasPast ? TURN_STEP : WIDTH_STEP;
  return Math.ceil(length / step) * step;
}

async function run(rows: readonly PrefillRow[], hasPast: boolean, context: PrefillContext): Promise<void> {
  const { sessions, slab, vocabularySize } = context;
  const length = paddedLength(rows[0]?.tokens.length ?? 1, hasPast);
  const answers = rows.flatMap((row) => row.answers);
  const filtered = answers.some(isFiltered);
  const { session, weights } = await sessions.prefill(filtered, hasPast);
  const drawRows = Math.max(2, answers.length);
  const outputs = await session.run({
    ...weights,
    ...tokenFeeds(rows, length, drawRows, context.contextLength),
    ...(hasPast ? pastFeeds(rows, length, slab) : {}),
    ...drawColumns(answers, drawRows, vocabularySize, filtered),
  });
  const cache = outputs['cache']?.values as Float32Array;
  let draw = 0;
  rows.forEach((row, r) => {
    const first = row.answers[0]?.sequence.row ?? 0;
    const count = row.tokens.length;
    slab.write(first, row.cached, cache, { row: r, rows: rows.length, length, count });
    row.answers.forEach((answer, i) => {
      if (i > 0) slab.copyRow(first, answer.sequence.row, count);
      noteCached(answer.sequence, answer, row.cached + count);
      takeDraw(answer, draw, outputs);
      draw += 1;
    });
  });
}

function tokenFeeds(
  rows: readonly PrefillRow[],
  length: number,
  drawRows: number,
  contextLength: number,
): Record<string, RuntimeTensor> {
  const ids = new BigInt64Array(rows.length * length);
  const positions = new BigInt64Array(rows.length * length);
  const endCount = Math.max(2, rows.length);
  const ends = new BigInt64Array(endCount);
  const endRows = new BigInt64Array(endCount);
  const draws = new BigInt64Array(drawRows);
  let draw = 0;
  rows.forEach((row, r) => {
    for (let t = 0; t < length; t += 1) {
      ids[r * length + t] = BigInt(row.tokens[t] ?? 0);
      positions[r * length + t] = BigInt(Math.min(row.cached + t, contextLength - 1));
    }
    ends[r] = BigInt(r * length + row.tokens.length - 1);
    endRows[r] = BigInt(r);
    draws.fill(BigInt(r), draw, (draw += row.answers.length));
  });
  if (rows.length === 1) ends.fill(ends[0] as bigint); // a lone row runs as two, as in decoding
  const shape = [rows.length, length];
  return {
    ids: { dtype: 'int64', shape, values: ids },
    positions: { dtype: 'int64', shape, values: positions },
    ends: { dtype: 'int64', shape: [endCount], values: ends },
    end_rows: { dtype: 'int64', shape: [endCount], values: endRows },
    draws: { dtype: 'int64', shape: [drawRows], values: draws },
  };
}

/** Where each key of each sequence comes from: the first `cached` places from the cache, the next from the new rows. */
function pastFeeds(
  rows: readonly PrefillRow[],
  length: number,
  slab: CacheSlab,
): Record<string, RuntimeTensor> {
  const { heads, headWidth, layers } = slab.shape;
  const reach = rows.reduce((most, row) => Math.max(most, row.cached + row.tokens.length), 0);
  const keys = Math.ceil(reach / WIDTH_STEP) * WIDTH_STEP; // S
  const isPast = new Uint8Array(rows.length * keys);
  const pastIndex = new Int32Array(rows.length * heads * keys);
  const newIndex = new Int32Array(rows.length * heads * keys);
  rows.forEach(({ answers, cached, tokens }, r) => {
    const slot = answers[0]?.sequence.row ?? 0;
    isPast.fill(1, r * keys, r * keys + cached);
    for (let head = 0; head < heads; head += 1) {
      const at = (r * heads + head) * keys;
      const past = (slot * heads + head) * slab.width;
      const fresh = (r * heads + head) * length;
      for (let j = 0; j < keys; j += 1) {
        pastIndex[at + j] = past + Math.min(j, cached - 1);
        newIndex[at + j] = fresh + Math.max(0, Math.min(j - cached, tokens.length - 1));
      }
    }
  });
  const slots = 1 + rows.reduce((most, { answers }) => Math.max(most, answers[0]?.sequence.row ?? 0), 0);
  const feeds: Record<string, RuntimeTensor> = {
    is_past: { dtype: 'bool', shape: [rows.length, 1, keys, 1], values: isPast },
    past_index: { dtype: 'int32', shape: [rows.length, heads, keys], values: pastIndex },
    new_index: { dtype: 'int32', shape: [rows.length, heads, keys], values: newIndex },
  };
  for (let layer = 0; layer < layers; layer += 1)
    Object.assign(feeds, cacheFeeds(slab, layer, slots, headWidth));
  return feeds;
}

/** Views of the first rows of a layer's cache. */
export function cacheFeeds(
  slab: CacheSlab,
  layer: number,
  rows: number,
  headWidth: number,
): Record<string, RuntimeTensor> {
  const shape = [rows, slab.shape.heads, slab.width, headWidth];
  return {
    [`key:${layer}`]: { dtype: 'float32', shape, values: slab.view(layer, 0, rows) },
    [`value:${layer}`]: { dtype: 'float32', shape, values: slab.view(layer, 1, rows) },
  };
}
