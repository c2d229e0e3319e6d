import { describe, expect, it } from 'vitest';
import { isInRange } from './kit-version.js';

describe('isInRange', () => {
  it.each([
    ['1.0.0', '^1.0', true],
    ['1.4.2', '^1.0', true],
    ['2.0.0', '^1.0', false],
    ['1.0.0', '^1.1', false],
    ['0.3.1', '^0.3.0', true],
    ['0.4.0', '^0.3.0', false],
    ['1.2.9', '~1.2', true],
    ['1.3.0', '~1.2.3', false],
    ['1.7.0', '1.x', true],
    ['1.7.0', '1.7.0', true],
    ['1.7.1', '1.7.0', false],
    ['2.5.0', '>=1.0 <3', true],
    ['3.0.0', '>=1.0 <3', false],
    ['2.0.0', '^1.0 || ^2.0', true],
    ['9.0.0', '*', true],
  ])('%s in %s: %s', (version, range, expected) => {
    expect(isInRange(version, range)).toBe(expected);
  });

  it('returns undefined for an unreadable range', () => {
    expect(isInRange('1.0.0', 'latest')).toBeUndefined();
    expect(isInRange('1.0.0', '')).toBeUndefined();
  });
});
