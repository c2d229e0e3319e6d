/**
 * @file Products whose bits do not depend on the number of threads. The CPU's float32 product [M, K]×[K, N] is cut among
 * threads by columns when N > M, else by rows; a thread adds along K in blocks whose length follows from the columns it
 * was given. So columns cut into narrow parts are added in another order than by one thread; rows never are. With as many
 * rows as such a product has columns, it is cut by rows: padding a few rows keeps the bits. Found by measuring (docs/log)
 * and true to the source of the runtime's kernels (MlasSgemmOperation, onnxruntime/core/mlas/lib/sgemm.cpp).
 */

/** Columns are handed out in multiples of this. */
const COLUMN_STEP = 16;
/** From this many columns on, blocks along K have the shortest length. */
const WIDE = 128;

/**
 * Tells how many rows a product with a matrix that is no constant must have at least, so that its bits are those of one
 * thread.
 *
 * @param columns N of the products that run over these rows
 * @param threads most threads a product may get, at least 1
 * @returns       rows, at least 2, because a lone row takes another kernel
 */
export function leastRows(columns: readonly number[], threads: number): number {
  return columns.filter((count) => dependsOnThreads(count, threads)).reduce((a, b) => Math.max(a, b), 2);
}

/** Small products get fewer threads than there are, so every number up to the most may occur. */
function dependsOnThreads(columns: number, threads: number): boolean {
  const steps = Math.ceil(columns / COLUMN_STEP);
  for (let used = 2; used <= Math.min(threads, steps); used += 1) {
    const narrowest = Math.floor(steps / used) * COLUMN_STEP;
    const last = columns - (steps - Math.floor(steps / used)) * COLUMN_STEP;
    if ([narrowest, last].some((part) => blockLength(part) !== blockLength(columns))) return true;
  }
  return false;
}

/** How far a thread with so many columns adds along K before it starts anew, where K is longer. */
function blockLength(columns: number): number {
  let [width, length] = [WIDE, WIDE];
  while (width > COLUMN_STEP && width / 2 >= columns) [width, length] = [width / 2, length * 2];
  return length;
}
