/**
 * @file Gradients by central differences: slow, and independent of every gradient rule.
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
