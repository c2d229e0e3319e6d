/**
 * @file Compares arrays of numbers; the message names the worst entry.
 */

import type {} from 'vitest';

/** Allowed difference, relative to the largest expected entry or absolute; the larger one applies. */
export interface Tolerance {
  readonly relative?: number;
  readonly absolute?: number;
}

/** The result of a vitest matcher. */
export interface MatcherResult {
  readonly pass: boolean;
  message(): string;
}

/** Compares entry by entry; NaN equals only NaN, an infinity only itself. */
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
  let worst = 0;
  let distance = 0;
  for (let i = 0; i < expected.length; i += 1) {
    const a = actual[i] as number;
    const b = expected[i] as number;
    const apart = Object.is(a, b) || a === b ? 0 : Number.isNaN(a - b) ? Infinity : Math.abs(a - b);
    if (apart > distance) {
      worst = i;
      distance = apart;
    }
  }
  return {
    pass: distance <= allowed,
    message: () =>
      `entry ${worst} is ${actual[worst]}, expected ${expected[worst]}: ${distance} apart, ${allowed} allowed (largest ${largest})`,
  };
}

declare module 'vitest' {
  interface Matchers<T> {
    /** Checks that arrays are equal within a tolerance; register with `expect.extend({ toBeCloseToTensor })`. */
    toBeCloseToTensor(expected: ArrayLike<number>, tolerance: Tolerance): T;
  }
}
