import { assertSameLength, estimateMoments, gatherMasked } from './statistics.js';

const EPSILON = 1e-8;

/**
 * Shifts and scales the loss entries of a whole batch to mean 0 and standard deviation 1 (divisor n − 1).
 *
 * A single entry, or entries that are all equal, become 0.
 *
 * @param arrays  each [T*], one per trajectory
 * @param lossMask each [T*], 1 where the entry is whitened
 * @returns       each [T*], 0 outside the loss mask
 * @throws        objective.length_mismatch
 */
export function whiten(
  arrays: readonly ArrayLike<number>[],
  lossMask: readonly ArrayLike<number>[],
): Float64Array[] {
  assertSameLength('whiten', { arrays, lossMask });
  arrays.forEach((array, i) =>
    assertSameLength(`whiten, trajectory ${i}`, { array, lossMask: lossMask[i] as ArrayLike<number> }),
  );
  const { mean, std } = estimateMoments(gatherMasked(arrays, lossMask));
  return arrays.map((array, i) => {
    const mask = lossMask[i] as ArrayLike<number>;
    return Float64Array.from(array, (value, t) => (mask[t] ? (value - mean) / (std + EPSILON) : 0));
  });
}
