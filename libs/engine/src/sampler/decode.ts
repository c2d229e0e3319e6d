/** @file One decoding step: every active sequence's last token enters the cache and its next one is drawn. */
import { discardResult, type RuntimeTensor } from '@espalier/runtime';
import { drawColumns, isFiltered, takeDraw } from './draw-columns.js';
import { cacheFeeds, memberFeeds, receiveInto, settleSlabs } from './cache-feeds.js';
import { type PendingSample, noteCached, ownLength } from './live-sequence.js';
import type { PrefillContext } from './prefill.js';
import { withRoom } from './with-room.js';
import { LEAST_ROWS } from './sampling-rules.js';

/**
 * Decodes one token for each answer. Rows between active ones are computed too and ignored.
 */
export async function decode(
  answers: readonly PendingSample[],
  { sessions, slab, prefixSlab, vocabularySize, makeRoom }: PrefillContext,
): Promise<void> {
  const rows = Math.max(
    LEAST_ROWS,
    1 + answers.reduce((most, { sequence }) => Math.max(most, sequence.row), 0),
  );
  const byRow = new Array<PendingSample | undefined>(rows).fill(undefined);
  for (const answer of answers) byRow[answer.sequence.row] = answer;
  const ids = new BigInt64Array(rows);
  const positions = new BigInt64Array(rows);
  const places = new Int32Array(rows).fill(-1);
  byRow.forEach((answer, row) => {
    if (answer === undefined) return;
    ids[row] = BigInt(answer.sampled[answer.sampled.length - 1] ?? 0);
    positions[row] = BigInt(answer.sequence.cached);
    places[row] = ownLength(answer.sequence);
  });
  const reach = answers.reduce((most, { sequence }) => Math.max(most, sequence.cached + 1), 0);
  const filtered = answers.some(isFiltered);
  const hasPrefixes = answers.some(({ sequence }) => sequence.prefix !== undefined);
  const { session, weights } = await sessions.decode(filtered, hasPrefixes, reach);
  await withRoom(makeRoom, () => settleSlabs({ slab, prefixSlab }));
  const feeds: Record<string, RuntimeTensor> = {
    ...weights,
    ids: { dtype: 'int64', shape: [rows], values: ids },
    positions: { dtype: 'int64', shape: [rows], values: positions },
    ...drawColumns(byRow, rows, vocabularySize, filtered),
    ...cacheFeeds(slab, rows),
    ...(hasPrefixes
      ? memberFeeds(
          Array.from(byRow, (answer) => answer?.sequence),
          prefixSlab,
        )
      : {}),
  };
  const outputs = await withRoom(makeRoom, () => session.run(feeds, receiveInto(slab, rows, 1)));
  const cache = outputs['cache'] as RuntimeTensor;
  await withRoom(makeRoom, () => slab.writeStep(cache, places));
  discardResult(cache);
  for (const answer of answers) {
    const { row, cached } = answer.sequence;
    noteCached(answer.sequence, answer, cached + 1);
    takeDraw(answer, row, outputs);
  }
}
