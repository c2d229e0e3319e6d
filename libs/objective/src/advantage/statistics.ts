/**
 * @file Statistics of aligned, masked arrays. Mean and sample standard deviation sum the sorted values in two passes, so
 * the result does not depend on the order of the values, and ties between groups remain ties.
 */
import { AppError } from '@espalier/contracts';

export interface Moments {
  /** 0 when there are no values */
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

/** Gathers the masked entries of a batch into one array. */
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

/** Checks that arrays have the same length. @throws objective.length_mismatch */
export function assertSameLength(where: string, arrays: Readonly<Record<string, ArrayLike<unknown>>>): void {
  const lengths = Object.entries(arrays).map(([name, array]) => ({ name, length: array.length }));
  if (lengths.every(({ length }) => length === lengths[0]?.length)) return;
  const found = lengths.map(({ name, length }) => `${name} [${length}]`).join(', ');
  throw new AppError(
    'objective.length_mismatch',
    `${where}: lengths differ, got ${found}; all must be equal`,
    {
      details: Object.fromEntries(lengths.map(({ name, length }) => [name, length])),
    },
  );
}
