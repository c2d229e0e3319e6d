/**
 * @file Mean and sample standard deviation, in two passes and in ascending order of the values, so that the result
 * does not depend on the order in which equal numbers arrive (ties between groups stay ties).
 */

export interface Moments {
  /** 0 for no values */
  readonly mean: number;
  /** divisor n − 1; 0 for fewer than two values */
  readonly std: number;
}

/** Estimates mean and sample standard deviation (divisor n − 1). */
export function estimateMoments(values: ArrayLike<number>): Moments {
  const n = values.length;
  if (n === 0) return { mean: 0, std: 0 };
  const sorted = Float64Array.from(values).sort();
  if (sorted[0] === sorted[n - 1]) return { mean: sorted[0] as number, std: 0 };
  let sum = 0;
  for (const value of sorted) sum += value;
  const mean = sum / n;
  let squares = 0;
  for (const value of sorted) squares += (value - mean) ** 2;
  return { mean, std: Math.sqrt(squares / (n - 1)) };
}

/** Gathers the loss entries of a batch into one array. */
export function gatherMasked(
  arrays: readonly ArrayLike<number>[],
  lossMask: readonly ArrayLike<number>[],
): Float64Array {
  const gathered: number[] = [];
  arrays.forEach((array, i) => {
    const mask = lossMask[i] as ArrayLike<number>;
    for (let t = 0; t < array.length; t += 1) if (mask[t]) gathered.push(array[t] as number);
  });
  return Float64Array.from(gathered);
}
