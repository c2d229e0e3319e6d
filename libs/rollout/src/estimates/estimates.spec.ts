import { describe, expect, it } from 'vitest';
import { adjustHolm, bootstrapMean, estimatePassAll, estimatePassAny, testPaired } from '../estimates.js';

describe('testPaired', () => {
  it('equals McNemar worked by hand', () => {
    // 3 won, 1 lost: 2 · (C(4,0) + C(4,1)) / 16 = 10/16
    expect(testPaired([1, 1, 1, -1, 0, 0])).toEqual({ method: 'mcnemar-exact', p: 0.625 });
    // 6 won, none lost: 2 / 64
    expect(testPaired([1, 1, 1, 1, 1, 1]).p).toBeCloseTo(1 / 32, 12);
  });

  it('equals a change of signs worked by hand', () => {
    // ±0.5 ±1 ±0.25: of 8 sums only ±1.75 is as far as 1.75
    expect(testPaired([0.5, 1, 0.25])).toEqual({ method: 'sign-flip-exact', p: 0.25 });
    // 0.5 + 1 − 0.25 = 1.25: ±1.75 and ±1.25 are as far
    expect(testPaired([0.5, 1, -0.25]).p).toBe(0.5);
  });

  it('finds nothing where nothing differs, and does not depend on the order of the two', () => {
    expect(testPaired([0, 0, 0]).p).toBe(1);
    expect(testPaired([]).p).toBe(1);
    const values = Array.from({ length: 40 }, (_, i) => ((i * 7) % 11) / 10 - 0.3);
    expect(testPaired(values).p).toBeCloseTo(testPaired(values.map((value) => -value)).p, 1);
  });

  it('gives no p-value of zero, however clear the difference', () => {
    const { method, p } = testPaired(new Array<number>(50).fill(0.5));
    expect(method).toBe('sign-flip-drawn');
    expect(p).toBeCloseTo(1 / 10_001, 12);
  });
});

describe('adjustHolm', () => {
  it('equals a case worked by hand', () => {
    // sorted 0.01 · 4, 0.02 · 3, 0.03 · 2, 0.04 · 1, each at least the one before
    expect(adjustHolm([0.04, 0.01, 0.03, 0.02])).toEqual([0.06, 0.04, 0.06, 0.06]);
  });

  it('stays at most 1, and leaves a single test as it is', () => {
    expect(adjustHolm([0.9, 0.8])).toEqual([1, 1]);
    expect(adjustHolm([0.3])).toEqual([0.3]);
    expect(adjustHolm([])).toEqual([]);
  });
});

describe('pass of k attempts', () => {
  it('equals cases worked by hand', () => {
    // 2 of 4 succeeded: 1 − C(2,2)/C(4,2) = 5/6; C(2,2)/C(4,2) = 1/6
    expect(estimatePassAny(4, 2, 2)).toBeCloseTo(5 / 6, 12);
    expect(estimatePassAll(4, 2, 2)).toBeCloseTo(1 / 6, 12);
    // 3 of 4 of 2 attempts: C(3,2)/C(4,2) = 1/2
    expect(estimatePassAll(4, 3, 2)).toBeCloseTo(0.5, 12);
  });

  it('has no bias: over all outcomes of n attempts its mean is that of k attempts', () => {
    const [n, k, p] = [5, 3, 0.3];
    let any = 0;
    let all = 0;
    for (let outcome = 0; outcome < 2 ** n; outcome++) {
      const c = outcome.toString(2).replaceAll('0', '').length;
      const chance = p ** c * (1 - p) ** (n - c);
      any += chance * estimatePassAny(n, c, k);
      all += chance * estimatePassAll(n, c, k);
    }
    expect(any).toBeCloseTo(1 - (1 - p) ** k, 12);
    expect(all).toBeCloseTo(p ** k, 12);
  });

  it.each([
    [4, 2, 5],
    [4, 5, 2],
    [4, -1, 2],
    [4, 2, 0],
    [4, 2.5, 2],
  ])('refuses %d attempts, %d successes, k %d', (attempts, successes, k) => {
    expect(() => estimatePassAny(attempts, successes, k)).toThrow(RangeError);
  });
});

describe('bootstrapMean', () => {
  it('has no width where all values are equal, and is the same twice', () => {
    expect(bootstrapMean([2, 2, 2])).toEqual({ mean: 2, low: 2, high: 2 });
    expect(bootstrapMean([1, 2, 4], 3)).toEqual(bootstrapMean([1, 2, 4], 3));
    expect(bootstrapMean([]).mean).toBeNaN();
  });
});
