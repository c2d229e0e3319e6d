/**
 * @file Whether runs differ: runs that differ in nothing but their seed form a group, and groups are tested on the states
 * of a validation that all of their runs have stored.
 */
import { leaves } from '@espalier/config/plain';
import {
  adjustHolm,
  explainUncommon,
  markStates,
  newestCommonStep,
  type StateOutcome,
  type StateTest,
  testStates,
  type ValidatedIn,
} from '@espalier/rollout/estimates';

/** A run that has validated. */
export interface ValidatedRun extends ValidatedIn {
  /** steps of its validations */
  readonly validated: readonly number[];
  outcomesAt(step: number): readonly StateOutcome[];
}

/** Runs that share a setting. */
export interface TestedGroup {
  readonly label: string;
  readonly runs: readonly ValidatedRun[];
}

/** A test between two groups in one environment. */
export interface GroupTest extends StateTest {
  readonly step: number;
  readonly first: string;
  readonly second: string;
  /** p after Holm's correction over all tests of the comparison */
  readonly adjusted: number;
}

/** Two groups that cannot be tested, and why. */
export interface UntestedPair {
  readonly first: string;
  readonly second: string;
  readonly reason: string;
}

export interface GroupTests {
  readonly tests: readonly GroupTest[];
  readonly untested: readonly UntestedPair[];
}

/** Options that do not make another method. */
const ofSeeds = new Set(['name', 'seed']);

/** Groups runs that differ in their seed only, in their order. */
export function groupBySeed<Run extends { readonly spec: object }>(runs: readonly Run[]): Run[][] {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const key = JSON.stringify(leaves(run.spec).filter(([path]) => !ofSeeds.has(path)));
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()];
}

/** Options that differ, with their value in each run; undefined where a run has none. */
export function findDifferences(
  specs: readonly object[],
): { readonly path: string; readonly values: readonly unknown[] }[] {
  const flat = specs.map((spec) => new Map(leaves(spec)));
  const paths = [...new Set(flat.flatMap((one) => [...one.keys()]))];
  return paths
    .filter((path) => path !== 'name')
    .map((path) => ({ path, values: flat.map((one) => one.get(path)) }))
    .filter(({ values }) => new Set(values.map((value) => JSON.stringify(value))).size > 1);
}

/**
 * Tests every two groups.
 *
 * @param at common: at the newest validation of a trained step that all their runs have; end: at the newest of each run
 */
export function testGroups(groups: readonly TestedGroup[], at: 'common' | 'end' = 'common'): GroupTests {
  const pairs = groups.flatMap((first, index) =>
    groups.slice(index + 1).map((second) => ({
      names: { first: first.label, second: second.label },
      found: testTwo(first.runs, second.runs, at),
    })),
  );
  const found = pairs.flatMap(({ names, found: { tests } }) => tests.map((test) => ({ ...test, ...names })));
  const adjusted = adjustHolm(found.map(({ p }) => p));
  return {
    tests: found.map((test, index) => ({ ...test, adjusted: adjusted[index] ?? 1 })),
    untested: pairs.flatMap(({ names, found: { tests, reason } }) =>
      tests.length > 0 ? [] : [{ ...names, reason }],
    ),
  };
}

interface PairTests {
  readonly tests: readonly (StateTest & { readonly step: number })[];
  /** why there is none */
  readonly reason: string;
}

function testTwo(
  first: readonly ValidatedRun[],
  second: readonly ValidatedRun[],
  at: 'common' | 'end',
): PairTests {
  const all = [...first, ...second];
  const common = newestCommonStep(all.map(({ validated }) => validated));
  const stepOf = ({ validated }: ValidatedRun): number | undefined =>
    at === 'common' ? common : newestCommonStep([validated]);
  const steps = all.flatMap((run) => stepOf(run) ?? []);
  if (steps.length < all.length)
    return { tests: [], reason: `no validation of ${at === 'common' ? 'the same' : 'a'} trained step` };
  const [ours, theirs] = [first, second].map((runs) =>
    runs.map((run) => markStates(run, run.outcomesAt(stepOf(run) ?? 0))),
  ) as [(readonly StateOutcome[])[], (readonly StateOutcome[])[]];
  return {
    tests: testStates(ours, theirs).map((test) => ({ ...test, step: Math.max(...steps) })),
    reason: explainUncommon(ours, theirs),
  };
}
