/**
 * @file Whether recorded runs differ: runs that differ in nothing but their seed form a group, and groups are tested on
 * the states of a validation that all of their runs have stored.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { leaves } from '@espalier/config';
import { runLayout } from '@espalier/contracts';
import { adjustHolm, bootstrapMean, type PairedTest, testPaired } from '@espalier/rollout/estimates';
import { type EpisodeOutcome, loadEvaluation } from '@espalier/trainer';
import type { LocalRun } from './local-runs.js';

/** Runs that differ in their seed only. */
export interface SeedGroup {
  readonly label: string;
  readonly folders: readonly string[];
  readonly seeds: readonly number[];
}

/** A test between two groups in one environment. */
export interface GroupTest extends PairedTest {
  readonly tag: string | undefined;
  readonly step: number;
  readonly first: string;
  readonly second: string;
  readonly states: number;
  /** first − second in success */
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  /** p after Holm's correction over all tests of the comparison */
  readonly adjusted: number;
}

/** Options that do not make another method. */
const ofSeeds = new Set(['name', 'seed']);

/** Groups the runs in their order; a group is named after its first run. */
export function groupBySeed(runs: readonly LocalRun[]): SeedGroup[] {
  const groups = new Map<string, LocalRun[]>();
  for (const run of runs) {
    const key = JSON.stringify(leaves(run.spec).filter(([path]) => !ofSeeds.has(path)));
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((own) => {
    const seeds = own.map(({ spec }) => spec.seed);
    const name = basename(own[0]?.folder ?? '');
    const more = own.length === 1 ? '' : ` (seeds ${seeds.join(', ')})`;
    return { label: `${name}${more}`, folders: own.map(({ folder }) => folder), seeds };
  });
}

/**
 * Tests every two groups.
 *
 * @param at common: at the newest validation that all their runs have; end: at the newest of each run
 * @throws trainer.corrupt_run
 */
export function testGroups(groups: readonly SeedGroup[], at: 'common' | 'end' = 'common'): GroupTest[] {
  const found = groups.flatMap((first, index) =>
    groups.slice(index + 1).flatMap((second) => testTwo(first, second, at)),
  );
  const adjusted = adjustHolm(found.map(({ p }) => p));
  return found.map((test, index) => ({ ...test, adjusted: adjusted[index] ?? 1 }));
}

function testTwo(first: SeedGroup, second: SeedGroup, at: 'common' | 'end'): Omit<GroupTest, 'adjusted'>[] {
  const validations = [...first.folders, ...second.folders].map(listValidations);
  const common = newestCommon(validations);
  if (common === undefined) return [];
  const step = at === 'common' ? common : Math.max(...validations.flat());
  const [ours, theirs] = [first, second].map(({ folders }) =>
    ratesOf(folders, (folder) => (at === 'common' ? common : Math.max(...listValidations(folder)))),
  );
  if (ours === undefined || theirs === undefined) return [];
  return [...ours].flatMap(([tag, states]) => {
    const differences = [...states].flatMap(([seed, rate]) => {
      const other = theirs.get(tag)?.get(seed);
      return other === undefined ? [] : [rate - other];
    });
    if (differences.length < 2) return [];
    const { mean: difference, low, high } = bootstrapMean(differences);
    const own = tag === '' ? undefined : tag;
    const labels = { first: first.label, second: second.label };
    return [
      {
        tag: own,
        step,
        ...labels,
        states: differences.length,
        difference,
        low,
        high,
        ...testPaired(differences),
      },
    ];
  });
}

function listValidations(folder: string): number[] {
  const path = join(folder, runLayout.validation);
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((name) => runLayout.stepOf(name) ?? []);
}

function newestCommon(lists: readonly (readonly number[])[]): number | undefined {
  const [first = [], ...rest] = lists;
  const common = first.filter((step) => rest.every((list) => list.includes(step)));
  return common.length === 0 ? undefined : Math.max(...common);
}

type Rates = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** By tag and state: mean success over the runs; a state that a run did not complete is left out. */
function ratesOf(folders: readonly string[], stepOf: (folder: string) => number): Rates {
  const sums = new Map<string, Map<number, { solved: number; runs: number }>>();
  for (const folder of folders)
    for (const outcome of loadEvaluation(join(folder, runLayout.validationOf(stepOf(folder)))).outcomes)
      add(sums, outcome);
  return new Map(
    [...sums].map(([tag, states]) => [
      tag,
      new Map(
        [...states].flatMap(([seed, { solved, runs }]): [number, number][] =>
          runs === folders.length ? [[seed, solved / runs]] : [],
        ),
      ),
    ]),
  );
}

function add(
  sums: Map<string, Map<number, { solved: number; runs: number }>>,
  { tag = '', stateSeed, success }: EpisodeOutcome,
): void {
  const states = sums.get(tag) ?? new Map<number, { solved: number; runs: number }>();
  const { solved, runs } = states.get(stateSeed) ?? { solved: 0, runs: 0 };
  states.set(stateSeed, { solved: solved + Number(success), runs: runs + 1 });
  sums.set(tag, states);
}
