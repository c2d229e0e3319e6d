import { describe, expect, it } from 'vitest';
import { formatMinutes } from './progress.js';

describe('formatMinutes', () => {
  it.each([
    [0, '0 s'],
    [0.1, '6 s'],
    [0.999, '1.0 min'],
    [9.5, '9.5 min'],
    [12, '12 min'],
    [61, '1 h 1 min'],
    [Number.NaN, '?'],
  ])('writes %d as %s', (minutes, text) => {
    expect(formatMinutes(minutes)).toBe(text);
  });
});
