/**
 * @file Comparison of arrays of numbers, with a message that names the worst entry.
 */

import type {} from 'vitest';

/** How far apart entries may be: relative to the largest expected entry, or absolutely; the larger of both counts. */
export interface Tolerance {
  readonly relative?: number;
  readonly absolute?: number;
}

/** What a matcher gives to vitest. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** Compares entry by entry; NaN equals only NaN, and an infinity only itself. */
export function toBeCloseToTensor(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: Tolerance,
): MatcherResult {
  if (actual.length !== expected.length) {
    return { pass: false, message: () => `${actual.length} entries; expected ${expected.length}` };
  }
  const finite = Array.from(expected, Math.abs).filter(Number.isFinite);
  const largest = finite.reduce((a, b) => Math.max(a, b), 0);
  const allowed = Math.max((tolerance.relative ?? 0) * largest, tolerance.absolute ?? 0);
  let [worst, distance] = [0, 0];
  for (let i = 0; i < expected.length; i += 1) {
    const [a, b] = [actual[i] as number, expected[i] as number];
    const apart = Object.is(a, b) || a === b ? 0 : Number.isNaN(a - b) ? Infinity : Math.abs(a - b);
    if (apart > distance) [worst, distance] = [i, apart];
  }
  return {
    pass: distance <= allowed,
    message: () =>
      `entry ${worst} is ${actual[worst]}, expected ${expected[worst]}: ${distance} apart, ${allowed} allowed (largest ${largest})`,
  };
}

declare module 'vitest' {
  interface Matchers<T> {
    /** Arrays of numbers are equal within a tolerance; register with `expect.extend({ toBeCloseToTensor })`. */
    toBeCloseToTensor(expected: ArrayLike<number>, tolerance: Tolerance): T;
  }
}
