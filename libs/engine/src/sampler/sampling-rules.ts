/**
 * @file The rules that decide how long sampling takes and how much memory it needs, never what is sampled: when waiting
 * sequences are admitted, how prefills are cut and padded, how the cache grows. The sampler follows them, and so does
 * the prediction of `espalier plan`.
 */

/** Widths are multiples of this, so that vector lanes of a softmax fall on the same keys for every width. */
export const WIDTH_STEP = 64;
/** Rows of a product at least: a product with one row takes another kernel, with other last bits. */
export const LEAST_ROWS = 2;
/** New tokens after a cached part are padded to multiples of this. */
const TURN_STEP = 16;
/** Padded tokens of one prefill run. */
const RUN_TOKENS = 2048;
/** Shorter prefixes save nothing. On a device, operators that they take cost more than the reading of keys that they save. */
const LEAST_PREFIX = { host: 64, device: 1024 };

export const roundUp = (value: number, step: number): number => Math.ceil(value / step) * step;

/** Whether sequences that declare a common prefix of this length keep it once for all of them. */
export const isPrefixShared = (length: number, isDevice: boolean): boolean =>
  length >= (isDevice ? LEAST_PREFIX.device : LEAST_PREFIX.host);

/** Prefills are worth their padding only in a batch: when nothing decodes, or a quarter of the live sequences wait. */
export const isPrefillDue = (waiting: number, active: number): boolean =>
  waiting > 0 && (active === 0 || 4 * waiting >= waiting + active);

/** The width of a cache that must hold `length` positions: at least a fifth more than before, so that growing is rare. */
export function growWidth(width: number, length: number): number {
  return length <= width ? width : roundUp(Math.max(length, width * 1.2), WIDTH_STEP);
}

/** The rows of a cache that must hold so many: at least half as many again as before, so that growing is rare. */
export function growRows(rows: number, needed: number): number {
  return needed <= rows ? rows : Math.max(needed, Math.ceil(rows * 1.5));
}

/** The length to which new tokens are padded in a prefill. @param hasPast whether they follow cached ones */
export const paddedLength = (length: number, hasPast: boolean): number =>
  roundUp(length, hasPast ? TURN_STEP : WIDTH_STEP);

/** Cuts prefills into runs, the longest first. */
export function cutRuns<T>(rows: readonly T[], lengthOf: (row: T) => number, hasPast: boolean): T[][] {
  const sorted = [...rows].sort((a, b) => lengthOf(b) - lengthOf(a));
  const runs: T[][] = [];
  for (let start = 0; start < sorted.length;) {
    const length = paddedLength(Math.max(1, lengthOf(sorted[start] as T)), hasPast);
    const count = Math.max(1, Math.floor(RUN_TOKENS / length));
    runs.push(sorted.slice(start, start + count));
    start += count;
  }
  return runs;
}

/** Whether so many of the first `rows` rows are active that decoding the others too costs less than moving rows. */
export const isDense = (active: number, rows: number): boolean => active >= 0.75 * rows || rows <= LEAST_ROWS;
