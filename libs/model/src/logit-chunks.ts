/**
 * @file When logits are computed in chunks of rows. With a large vocabulary they are the largest tensors of a model, so
 * only a chunk of them lives at once; the number of rows is then part of the graph, and comes in few sizes.
 */

/** From this vocabulary size on, logits are computed in chunks. */
const CHUNKED_VOCABULARY = 8192;
/** Most rows of one chunk. */
const MOST_ROWS = 256;
/** More rows than this are rounded up to multiples of it, or of a smaller chunk: each number of rows is a graph of its own. */
const LONG_STEP = 512;
/** Most logits of one chunk: 256 MB, of which a training step holds several. */
const MOST_LOGITS = 2 ** 26;
/** Fewer rows than a chunk are rounded up to multiples of this. */
const ROW_STEP = 64;

/** Whether a policy's logits are computed in chunks. */
export const hasLogitChunks = (vocabularySize: number): boolean => vocabularySize >= CHUNKED_VOCABULARY;

/** Rows of one chunk: a power of two. */
export const chunkRows = (vocabularySize: number): number => Math.min(MOST_ROWS, longStep(vocabularySize));

function longStep(vocabularySize: number): number {
  let rows = LONG_STEP;
  while (rows > ROW_STEP && rows * vocabularySize > MOST_LOGITS) rows /= 2;
  return rows;
}

/** Rounds a number of rows up to one that graphs are built for. */
export function roundLogitRows(count: number, vocabularySize: number): number {
  const long = longStep(vocabularySize);
  const step = count > long ? long : ROW_STEP;
  return Math.ceil(count / step) * step;
}
