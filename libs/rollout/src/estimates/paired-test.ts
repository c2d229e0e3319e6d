/**
 * @file Tests whether two policies differ, from their results on the same initial states.
 *
 * One episode per state each: McNemar's test, exact. Of the states that only one of them solved, each is as likely as
 * not to be the first's if there is no difference: a binomial with 1/2 (McNemar 1947, "Note on the sampling error of
 * the difference between correlated proportions"; exact, two-sided).
 *
 * Means of several episodes: Fisher's randomization test (1935, "The design of experiments", section 21): without a
 * difference, the sign of each state's difference is as likely to be the other. All sign changes are counted up to 2^16
 * of them, else 10,000 are drawn, where the observed one counts as one of the draws (Phipson and Smyth 2010), so no
 * p-value is zero.
 */
import { createStream } from '@espalier/random';

export interface PairedTest {
  readonly method: 'mcnemar-exact' | 'sign-flip-exact' | 'sign-flip-drawn';
  /** two-sided */
  readonly p: number;
}

const mostExact = 16;
const draws = 10_000;

/** Tests the differences (first − second) of the states, each in −1..1 for rates of success. */
export function testPaired(differences: readonly number[], seed = 0): PairedTest {
  const changed = differences.filter((value) => value !== 0);
  if (changed.every((value) => Math.abs(value) === 1))
    return { method: 'mcnemar-exact', p: binomialTail(changed) };
  return changed.length <= mostExact
    ? { method: 'sign-flip-exact', p: countFlips(changed) }
    : { method: 'sign-flip-drawn', p: drawFlips(changed, seed) };
}

/** 2 · P(X ≤ min(gained, lost)) for X of a binomial with 1/2, at most 1. */
function binomialTail(changed: readonly number[]): number {
  const n = changed.length;
  const gained = changed.filter((value) => value > 0).length;
  const fewer = Math.min(gained, n - gained);
  let logTerm = -n * Math.LN2;
  let tail = 0;
  for (let k = 0; k <= fewer; k++) {
    tail += Math.exp(logTerm);
    logTerm += Math.log(n - k) - Math.log(k + 1);
  }
  return Math.min(1, 2 * tail);
}

/** Sums that differ by rounding only are equal. */
const isAsFar = (sum: number, observed: number): boolean =>
  Math.abs(sum) >= observed * (1 - 1e-12) - Number.EPSILON;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

function countFlips(changed: readonly number[]): number {
  const observed = Math.abs(sumOf(changed));
  const all = 2 ** changed.length;
  let far = 0;
  for (let signs = 0; signs < all; signs++) {
    let sum = 0;
    changed.forEach((value, i) => (sum += (signs >> i) & 1 ? value : -value));
    if (isAsFar(sum, observed)) far += 1;
  }
  return far / all;
}

function drawFlips(changed: readonly number[], seed: number): number {
  const observed = Math.abs(sumOf(changed));
  const stream = createStream(seed);
  let far = 1;
  for (let draw = 0; draw < draws; draw++) {
    let sum = 0;
    for (const value of changed) sum += stream.next() < 0.5 ? value : -value;
    if (isAsFar(sum, observed)) far += 1;
  }
  return far / (draws + 1);
}
