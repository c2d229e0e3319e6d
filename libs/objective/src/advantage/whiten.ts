import { requireSameLength } from '../require-same-length.js';
import { estimateMoments, gatherCounted } from './statistics.js';

const EPSILON = 1e-8;

/**
 * Shifts and scales the counted entries of a whole batch to mean 0 and standard deviation 1 (divisor n − 1).
 *
 * A single counted entry, or entries that are all equal, become 0.
 *
 * @param arrays  each [T*], one per trajectory
 * @param counted each [T*], 1 where the entry counts
 * @returns       each [T*], 0 where not counted
 * @throws        objective.length_mismatch
 */
export function whiten(
  arrays: readonly ArrayLike<number>[],
  counted: readonly ArrayLike<number>[],
): Float64Array[] {
  requireSameLength('whiten', { arrays, counted });
  arrays.forEach((array, i) =>
    requireSameLength(`whiten, trajectory ${i}`, { array, counted: counted[i] as ArrayLike<number> }),
  );
  const { mean, std } = estimateMoments(gatherCounted(arrays, counted));
  return arrays.map((array, i) => {
    const mask = counted[i] as ArrayLike<number>;
    return Float64Array.from(array, (value, t) => (mask[t] ? (value - mean) / (std + EPSILON) : 0));
  });
}
