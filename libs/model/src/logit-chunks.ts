/**
 * @file When logits are computed in chunks of rows. With a large vocabulary they are the largest tensors of a model, so
 * only a chunk of them lives at once; the number of rows is then part of the graph, and comes in few sizes.
 */

/** From this vocabulary size on, logits are computed in chunks. */
const CHUNKED_VOCABULARY = 8192;
/** Rows of one chunk. */
export const CHUNK_ROWS = 512;
/** Fewer rows than a chunk are rounded up to multiples of this. */
const ROW_STEP = 64;

/** Whether a policy's logits are computed in chunks. */
export const hasLogitChunks = (vocabularySize: number): boolean => vocabularySize >= CHUNKED_VOCABULARY;

/** Rounds a number of rows up to one that graphs are built for. */
export function roundLogitRows(count: number): number {
  const step = count > CHUNK_ROWS ? CHUNK_ROWS : ROW_STEP;
  return Math.ceil(count / step) * step;
}
