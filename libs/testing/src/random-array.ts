/**
 * @file Numbers for tests: the same for the same seed.
 */

/** Uniform numbers in [low, high) from a small counter-based generator; for tests only. */
export function randomArray(count: number, seed: number, low = -1, high = 1): Float64Array {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return Float64Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const mixed = Math.imul(state ^ (state >>> 15), 2246822519) >>> 0;
    return low + ((high - low) * ((mixed ^ (mixed >>> 13)) >>> 0)) / 4294967296;
  });
}
