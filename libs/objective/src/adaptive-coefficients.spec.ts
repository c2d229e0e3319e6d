import { describe, expect, it } from 'vitest';
import { nextEntropyCoefficient, nextKlCoefficient } from './adaptive-coefficients.js';

describe('nextKlCoefficient', () => {
  const options = { target: 0.02, rate: 0.1 };
  it.each([
    // (0.021 − 0.02) / 0.02 = 0.05
    [0.021, 1.005],
    // 10 times the target, and nothing at all: 0.2 either way
    [0.2, 1.02],
    [0, 0.98],
    [0.02, 1],
  ])('with a divergence of %d is %d times as large, by hand', (kl, factor) => {
    expect(nextKlCoefficient(0.5, kl, options)).toBeCloseTo(0.5 * factor, 12);
  });

  it('follows its target in the long run', () => {
    // a policy whose divergence is 0.004 / β
    let coefficient = 0.01;
    for (let step = 0; step < 400; step += 1)
      coefficient = nextKlCoefficient(coefficient, 0.004 / coefficient, options);
    expect(0.004 / coefficient).toBeCloseTo(0.02, 3);
  });

  it('stays where nothing was measured', () => {
    expect(nextKlCoefficient(0.5, NaN, options)).toBe(0.5);
    expect(nextEntropyCoefficient(0.5, NaN, { target: 1, step: 0.1 })).toBe(0.5);
  });
});

describe('nextEntropyCoefficient', () => {
  it('rises while the entropy is below its target and falls while it is above, within 0 and 1', () => {
    const next = (coefficient: number, entropy: number) =>
      nextEntropyCoefficient(coefficient, entropy, { target: 0.2, step: 0.005 });
    expect(next(0.01, 0.1)).toBeCloseTo(0.015, 12);
    expect(next(0.01, 0.3)).toBeCloseTo(0.005, 12);
    expect(next(0.01, 0.2)).toBe(0.01);
    expect(next(0.002, 0.3)).toBe(0);
    expect(next(0.999, 0.1)).toBe(1);
  });
});
