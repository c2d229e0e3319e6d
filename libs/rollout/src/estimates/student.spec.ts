import { describe, expect, it } from 'vitest';
import { studentInterval } from './student.js';

describe('studentInterval', () => {
  it('equals a case worked by hand', () => {
    // mean 2, deviation 1, 4.303 · 1/√3 = 2.4843
    const { mean, low, high } = studentInterval([1, 2, 3]);
    expect([mean, low, high]).toEqual([2, expect.closeTo(-0.4843, 4), expect.closeTo(4.4843, 4)]);
  });

  it('has no bounds for a single value, no width for equal ones, and nothing for none', () => {
    expect(studentInterval([5])).toEqual({ mean: 5, low: -Infinity, high: Infinity });
    expect(studentInterval([5, 5])).toEqual({ mean: 5, low: 5, high: 5 });
    expect(studentInterval([]).mean).toBeNaN();
  });

  it('falls to the points of many values', () => {
    const values = Array.from({ length: 100 }, (_, index) => index % 2);
    // deviation 0.50252, 2.042 · 0.050252
    expect(studentInterval(values).high).toBeCloseTo(0.5 + 2.042 * 0.050252, 4);
  });
});
