/**
 * @file Whether recorded runs differ: runs that differ in nothing but their seed form a group, and groups are tested on
 * the states of a validation that all of their runs have stored.
 */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { leaves } from '@espalier/config';
import { runLayout } from '@espalier/contracts';
import { adjustHolm, newestCommonStep, type StateTest, testStates } from '@espalier/rollout/estimates';
import { loadEvaluation } from '@espalier/trainer';
import type { LocalRun } from './local-runs.js';

/** Runs that differ in their seed only. */
export interface SeedGroup {
  readonly label: string;
  readonly folders: readonly string[];
  readonly seeds: readonly number[];
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
  const common = newestCommonStep(validations);
  if (common === undefined) return [];
  const step = at === 'common' ? common : Math.max(...validations.flat());
  const stepOf = (folder: string): number =>
    at === 'common' ? common : Math.max(...listValidations(folder));
  const outcomesOf = ({ folders }: SeedGroup) =>
    folders.map((folder) => loadEvaluation(join(folder, runLayout.validationOf(stepOf(folder)))).outcomes);
  return testStates(outcomesOf(first), outcomesOf(second)).map((test) => ({
    ...test,
    step,
    first: first.label,
    second: second.label,
  }));
}

function listValidations(folder: string): number[] {
  const path = join(folder, runLayout.validation);
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((name) => runLayout.stepOf(name) ?? []);
}
