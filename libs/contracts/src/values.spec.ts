import { describe, expect, it } from 'vitest';
import { requestedThreads } from './values.js';

describe('requestedThreads', () => {
  it.each([
    ['1', 1],
    [' 4 ', 4],
    ['8,2', 8],
    ['1000', 256],
    ['', undefined],
    ['0', undefined],
    ['-2', undefined],
    ['many', undefined],
    ['2.5', undefined],
    [undefined, undefined],
  ])('of %j are %j', (value, expected) => {
    expect(requestedThreads({ OMP_NUM_THREADS: value })).toBe(expected);
  });
});
