/**
 * @file Decides a rule of a claim from numbers alone. A difference is known up to an interval of 95 %: the hull of what it
 * varies by from seed to seed (Student) and, for success, from state to state (bootstrap).
 */
import type { SweepClaim } from '@espalier/config/sweep';
import { bootstrapMean, type Interval, studentInterval, testPaired } from '@espalier/rollout/estimates';

export const verdicts = ['holds', 'does not hold', 'not separable at this size', 'not run'] as const;
export type Verdict = (typeof verdicts)[number];

export type Expectation = 'higher' | 'lower' | 'not-lower' | 'not-higher' | 'equal';

/** Differences of the runs that are compared. */
export interface Differences {
  /** one for each seed */
  readonly ofSeeds: readonly number[];
  /** one for each state, its mean over the seeds; absent for what is not measured by state */
  readonly ofStates?: readonly number[];
}

/** Joins what seeds and states leave open. With fewer than two seeds it has no bounds. */
export function hullOf({ ofSeeds, ofStates }: Differences): Interval {
  const seeds = studentInterval(ofSeeds);
  if (ofStates === undefined || ofStates.length === 0) return seeds;
  const states = bootstrapMean(ofStates);
  return { mean: seeds.mean, low: Math.min(seeds.low, states.low), high: Math.max(seeds.high, states.high) };
}

/** Whether an interval lies where it is expected, where it is not, or across the bound. */
export function judgeInterval({ low, high }: Interval, expect: Expectation, margin: number): Verdict {
  if (Number.isNaN(low) || Number.isNaN(high)) return 'not run';
  const decide = (holds: boolean, fails: boolean): Verdict =>
    holds ? 'holds' : fails ? 'does not hold' : 'not separable at this size';
  switch (expect) {
    case 'higher':
      return decide(low > margin, high <= margin);
    case 'lower':
      return decide(high < -margin, low >= -margin);
    case 'not-lower':
      return decide(low >= -margin, high < -margin);
    case 'not-higher':
      return decide(high <= margin, low > margin);
    case 'equal':
      return decide(low >= -margin && high <= margin, low > margin || high < -margin);
  }
}

/** Whether something is so in more runs than not, by an exact two-sided sign test of 5 %: six runs of six are the fewest. */
export function judgeCount(yes: number, runs: number): Verdict {
  const signs = Array.from({ length: runs }, (_, run) => (run < yes ? 1 : -1));
  if (testPaired(signs).p >= 0.05) return 'not separable at this size';
  return 2 * yes > runs ? 'holds' : 'does not hold';
}

/**
 * Decides a claim from its rules. A rule that was not run leaves the claim open unless the others decide it.
 */
export function judgeClaim(need: SweepClaim['need'], rules: readonly Verdict[]): Verdict {
  const [wanted, deciding]: [Verdict, Verdict] =
    need === 'all' ? ['holds', 'does not hold'] : ['does not hold', 'holds'];
  if (rules.includes(deciding)) return deciding;
  if (rules.every((verdict) => verdict === wanted)) return wanted;
  return rules.includes('not run') ? 'not run' : 'not separable at this size';
}
