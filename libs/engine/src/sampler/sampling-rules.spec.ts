import { expect, it } from 'vitest';
import { cutRuns, growWidth, isDense, isPrefillDue, isPrefixShared, paddedLength } from './sampling-rules.js';

const lengthOf = (length: number): number => length;

it('admits waiting sequences when nothing decodes, or when a quarter waits', () => {
  expect([isPrefillDue(0, 0), isPrefillDue(1, 0), isPrefillDue(1, 3), isPrefillDue(1, 4)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it('grows the cache by a fifth at least, in steps of 64 positions', () => {
  expect([growWidth(0, 50), growWidth(64, 64), growWidth(64, 65), growWidth(640, 641)]).toEqual([
    64, 64, 128, 768,
  ]);
});

it('cuts prefills into runs of 2048 padded tokens, the longest first; a longer one goes alone', () => {
  expect(cutRuns([100, 3000, 700, 900], lengthOf, false)).toEqual([[3000], [900, 700], [100]]);
  expect(cutRuns([20, 10], lengthOf, true)).toEqual([[20, 10]]);
  expect([paddedLength(20, true), paddedLength(20, false)]).toEqual([32, 64]);
});

it('shares prefixes that are worth it, and moves rows when fewer than three quarters are active', () => {
  expect([isPrefixShared(63, false), isPrefixShared(64, false)]).toEqual([false, true]);
  expect([isPrefixShared(1023, true), isPrefixShared(1024, true)]).toEqual([false, true]);
  expect([isDense(3, 4), isDense(2, 4), isDense(1, 2)]).toEqual([true, false, true]);
});
