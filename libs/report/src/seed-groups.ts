/**
 * @file Whether runs differ: runs that differ in nothing but their seed form a group, and groups are tested on the states
 * of a validation that all of their runs have stored.
 */
import { leaves } from '@espalier/config/plain';
import {
  adjustHolm,
  newestCommonStep,
  type StateOutcome,
  type StateTest,
  testStates,
} from '@espalier/rollout/estimates';

/** A run that has validated. */
export interface ValidatedRun {
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
 * @param at common: at the newest validation that all their runs have; end: at the newest of each run
 */
export function testGroups(groups: readonly TestedGroup[], at: 'common' | 'end' = 'common'): GroupTest[] {
  const found = groups.flatMap((first, index) =>
    groups.slice(index + 1).flatMap((second) => testTwo(first, second, at)),
  );
  const adjusted = adjustHolm(found.map(({ p }) => p));
  return found.map((test, index) => ({ ...test, adjusted: adjusted[index] ?? 1 }));
}

function testTwo(
  first: TestedGroup,
  second: TestedGroup,
  at: 'common' | 'end',
): Omit<GroupTest, 'adjusted'>[] {
  const validations = [...first.runs, ...second.runs].map(({ validated }) => validated);
  const common = newestCommonStep(validations);
  if (common === undefined) return [];
  const step = at === 'common' ? common : Math.max(...validations.flat());
  const outcomesOf = ({ runs }: TestedGroup) =>
    runs.map((run) => run.outcomesAt(at === 'common' ? common : Math.max(...run.validated)));
  return testStates(outcomesOf(first), outcomesOf(second)).map((test) => ({
    ...test,
    step,
    first: first.label,
    second: second.label,
  }));
}
