/**
 * @file Makes matrix products bit-identical for any number of threads. The CPU kernel splits a float32 product
 * [M, K]×[K, N] among threads by columns when N > M, else by rows; a thread accumulates along K in blocks whose length
 * depends on its number of columns. Splitting by columns can therefore change the order of additions; splitting by rows
 * never does. With at least as many rows as columns the product is split by rows, so padding a few rows keeps the bits.
 * Found by measurement (docs/log), and consistent with MlasSgemmOperation (onnxruntime/core/mlas/lib/sgemm.cpp).
 */

/** Threads get columns in multiples of this. */
const COLUMN_STEP = 16;
/** From this many columns on, blocks along K have their minimum length. */
const WIDE = 128;

/**
 * The minimum number of rows for which a product with a non-constant matrix has the same bits as on one thread.
 *
 * @param columns N of the products that run over these rows
 * @param threads maximum number of threads of a product, at least 1
 * @returns       at least 2, because a single row uses another kernel
 */
export function minRows(columns: readonly number[], threads: number): number {
  return columns.filter((count) => dependsOnThreads(count, threads)).reduce((a, b) => Math.max(a, b), 2);
}

/** Small products get fewer threads, so any number up to the maximum may occur. */
function dependsOnThreads(columns: number, threads: number): boolean {
  const steps = Math.ceil(columns / COLUMN_STEP);
  for (let used = 2; used <= Math.min(threads, steps); used += 1) {
    const narrowest = Math.floor(steps / used) * COLUMN_STEP;
    const last = columns - (steps - Math.floor(steps / used)) * COLUMN_STEP;
    if ([narrowest, last].some((part) => blockLength(part) !== blockLength(columns))) return true;
  }
  return false;
}

/** The block length along K of a thread with this many columns. */
function blockLength(columns: number): number {
  let width = WIDE;
  let length = WIDE;
  while (width > COLUMN_STEP && width / 2 >= columns) {
    width /= 2;
    length *= 2;
  }
  return length;
}
