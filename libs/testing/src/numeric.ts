/**
 * @file Numeric helpers of tests: gradients by central differences, which are slow but independent of gradient rules, and
 * random arrays.
 */

/**
 * Differentiates a function of one array by central differences.
 *
 * @param compute a scalar of the array, which is changed entry by entry and restored
 * @param step    half the distance between the two points of a difference
 * @returns       one derivative per entry; the error is of the order step² plus rounding/step
 */
export function finiteDifference(
  compute: () => number,
  at: Float64Array | Float32Array,
  step = 1e-5,
): Float64Array {
  return Float64Array.from(at, (entry, index) => {
    at[index] = entry + step;
    const above = compute();
    at[index] = entry - step;
    const below = compute();
    at[index] = entry;
    return (above - below) / (2 * step);
  });
}

/** Uniform numbers in [low, high), the same for the same seed; from a small counter-based generator. */
export function randomArray(count: number, seed: number, low = -1, high = 1): Float64Array {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 2246822519) >>> 0;
    return low + ((high - low) * ((mixed ^ (mixed >>> 13)) >>> 0)) / 4294967296;
  });
}
