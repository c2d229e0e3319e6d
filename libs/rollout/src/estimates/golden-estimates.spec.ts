import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { bootstrapMean } from './bootstrap.js';
import { adjustHolm } from './holm.js';
import { testPaired } from './paired-test.js';
import { estimatePassAll, estimatePassAny } from './pass-at-k.js';
import { wilsonInterval } from './wilson.js';

interface Golden {
  wilson: { successes: number; n: number; low: number; high: number }[];
  mcnemar: { gained: number; lost: number; p: number }[];
  flips: { differences: number[]; p: number }[];
  drawn: { differences: number[]; p: number }[];
  holm: { p: number[]; adjusted: number[] }[];
  passes: { n: number; c: number; k: number; any: number; all: number }[];
  bootstrap: { values: number[]; low: number; high: number }[];
}

const golden = JSON.parse(readFileSync(join(goldenFolder('estimates'), 'estimates.json'), 'utf8')) as Golden;

// both sides compute in float64; sums of up to 800 terms of a binomial keep 10 digits
describe('estimates as SciPy computes them', () => {
  it.each(golden.wilson)('Wilson interval of $successes in $n', ({ successes, n, low, high }) => {
    const found = wilsonInterval(successes, n);
    expect(found.low).toBeCloseTo(low, 10);
    expect(found.high).toBeCloseTo(high, 10);
  });

  it.each(golden.mcnemar)('McNemar of $gained won and $lost lost', ({ gained, lost, p }) => {
    const differences = [...new Array<number>(gained).fill(1), ...new Array<number>(lost).fill(-1), 0, 0];
    expect(testPaired(differences)).toEqual({ method: 'mcnemar-exact', p: expect.closeTo(p, 10) });
  });

  it.each(golden.flips)('every change of signs', ({ differences, p }) => {
    expect(testPaired(differences)).toEqual({ method: 'sign-flip-exact', p: expect.closeTo(p, 10) });
  });

  // 10,000 draws here, 200,000 there: a standard error of at most 0.005
  it.each(golden.drawn)('drawn changes of signs', ({ differences, p }) => {
    const found = testPaired(differences);
    expect(found.method).toBe('sign-flip-drawn');
    expect(Math.abs(found.p - p)).toBeLessThan(0.02);
  });

  it.each(golden.holm)('Holm', ({ p, adjusted }) => {
    adjustHolm(p).forEach((value, i) => expect(value).toBeCloseTo(adjusted[i] as number, 12));
  });

  it.each(golden.passes)('pass@$k and pass^$k of $c in $n', ({ n, c, k, any, all }) => {
    expect(estimatePassAny(n, c, k)).toBeCloseTo(any, 12);
    expect(estimatePassAll(n, c, k)).toBeCloseTo(all, 12);
  });

  it.each(golden.bootstrap)('bootstrap of a mean', ({ values, low, high }) => {
    const found = bootstrapMean(values);
    const tolerance = (high - low) * 0.03;
    expect(Math.abs(found.low - low)).toBeLessThan(tolerance);
    expect(Math.abs(found.high - high)).toBeLessThan(tolerance);
  });
});
