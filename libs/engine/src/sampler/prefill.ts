/**
 * @file Prefill: new tokens of waiting sequences enter the cache in as few runs as fit, and each sequence draws its
 * first token. Equal prompts (a group) are computed once; a shared prefix is written once, the rest to every member's row.
 */
import { discardResult, type RuntimeTensor } from '@espalier/runtime';
import { type GrownSequence, pastFeeds, receiveInto, settleSlabs, type Slabs } from './cache-feeds.js';
import type { CachePlace } from './cache-slab.js';
import { drawColumns, isFiltered, takeDraw } from './draw-columns.js';
import { type PendingSample, type LiveSequence, noteCached, ownLength } from './live-sequence.js';
import { cutRuns, paddedLength } from './sampling-rules.js';
import type { SamplingSessions } from './sampling-sessions.js';
import { withRoom } from './with-room.js';

export interface PrefillContext extends Slabs {
  readonly sessions: SamplingSessions;
  readonly vocabularySize: number;
  readonly contextLength: number;
  /** of every product, so that two threads give the bits of one */
  readonly minRows: number;
  /** frees what training holds; undefined: nothing can be freed */
  readonly makeRoom: (() => Promise<void>) | undefined;
}

/** One computed row and the answers that start from it; only fresh prompts have more than one. */
interface PrefillRow {
  readonly answers: PendingSample[];
  readonly cached: number;
  readonly tokens: Int32Array; // [t]
}

/** Prefills answers whose sequences own rows of the cache; every answer gets its first token. */
export async function prefill(answers: readonly PendingSample[], context: PrefillContext): Promise<void> {
  const fresh = answers.filter(({ sequence }) => sequence.cached === 0);
  const grown = answers.filter(({ sequence }) => sequence.cached > 0);
  for (const batch of cutRuns(shareRows(fresh), lengthOf, false)) await run(batch, false, context);
  for (const batch of cutRuns(grown.map(rowOf), lengthOf, true)) await run(batch, true, context);
}

function rowOf(answer: PendingSample): PrefillRow {
  const { cached } = answer.sequence;
  return { answers: [answer], cached, tokens: answer.request.tokens.subarray(cached) };
}

function shareRows(answers: readonly PendingSample[]): PrefillRow[] {
  const rows = new Map<string, PrefillRow>();
  for (const answer of answers) {
    const key = answer.request.tokens.join();
    const known = rows.get(key);
    if (known === undefined) rows.set(key, rowOf(answer));
    else known.answers.push(answer);
  }
  return [...rows.values()];
}

const lengthOf = ({ tokens }: PrefillRow): number => tokens.length;

async function run(rows: readonly PrefillRow[], hasPast: boolean, context: PrefillContext): Promise<void> {
  const { sessions, vocabularySize, minRows } = context;
  const longest = Math.max(rows[0]?.tokens.length ?? 1, minRows / rows.length);
  const length = paddedLength(longest, hasPast);
  const answers = rows.flatMap((row) => row.answers);
  const filtered = answers.some(isFiltered);
  const hasPrefixes = hasPast && answers.some(({ sequence }) => sequence.prefix !== undefined);
  const reach = rows.reduce((most, { cached }) => Math.max(most, cached + length), 0);
  const kind = { isFiltered: filtered, hasPast, hasPrefixes };
  const { session, weights } = await sessions.prefill(kind, Math.min(reach, context.contextLength));
  await withRoom(context.makeRoom, () => settleSlabs(context));
  const drawRows = Math.max(minRows, answers.length);
  const feeds = {
    ...weights,
    ...tokenFeeds(rows, length, drawRows, context),
    ...(hasPast ? pastFeeds(rows.map(grownOf), length, context) : {}),
    ...drawColumns(answers, drawRows, vocabularySize, filtered),
  };
  const outputs = await withRoom(context.makeRoom, () =>
    session.run(feeds, receiveInto(context.slab, rows.length, length)),
  );
  const cache = outputs['cache'] as RuntimeTensor;
  await withRoom(context.makeRoom, () => {
    rows.forEach(({ answers, tokens }, row) => {
      const place = { row, rows: rows.length, length, from: 0, count: tokens.length };
      for (const { sequence } of answers) writeRow(sequence, cache, place, context);
    });
    return settleSlabs(context);
  });
  discardResult(cache);
  let draw = 0;
  for (const row of rows) {
    for (const answer of row.answers) {
      noteCached(answer.sequence, answer, row.cached + row.tokens.length);
      takeDraw(answer, draw, outputs);
      draw += 1;
    }
  }
}

function grownOf({ answers, tokens }: PrefillRow): GrownSequence {
  return { sequence: (answers[0] as PendingSample).sequence, count: tokens.length };
}

/** Writes computed positions to a sequence's own row, except what belongs to its prefix: the first of a group writes that. */
function writeRow(
  sequence: LiveSequence,
  cache: RuntimeTensor,
  place: CachePlace,
  { slab, prefixSlab }: Slabs,
): void {
  const { prefix, cached } = sequence;
  const shared = cached === 0 ? (prefix?.length ?? 0) : 0;
  if (prefix?.isWritten === false) {
    prefixSlab.write(prefix.row, 0, cache, { ...place, count: shared });
    prefix.isWritten = true;
  }
  slab.write(sequence.row, ownLength(sequence), cache, {
    ...place,
    from: shared,
    count: place.count - shared,
  });
}

function tokenFeeds(
  rows: readonly PrefillRow[],
  length: number,
  drawRows: number,
  { contextLength, minRows }: PrefillContext,
): Record<string, RuntimeTensor> {
  const ids = new BigInt64Array(rows.length * length);
  const positions = new BigInt64Array(rows.length * length);
  const endCount = Math.max(minRows, rows.length);
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
  ends.fill(ends[0] as bigint, rows.length); // padding, also of a lone row, which runs as two as in decoding
  const shape = [rows.length, length];
  return {
    ids: { dtype: 'int64', shape, values: ids },
    positions: { dtype: 'int64', shape, values: positions },
    ends: { dtype: 'int64', shape: [endCount], values: ends },
    end_rows: { dtype: 'int64', shape: [endCount], values: endRows },
    draws: { dtype: 'int64', shape: [drawRows], values: draws },
  };
}
