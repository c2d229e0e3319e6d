/** @file Groups of run folders that differ in their seed only, and tests between them. */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import * as report from '@espalier/report';
import { loadEvaluation } from '@espalier/trainer';
import type { LocalRun } from './local-runs.js';
import { readRunSpec } from './recorded-run.js';
import { loadOrigin } from './run-origin.js';

/** Runs that differ in their seed only. */
export interface SeedGroup {
  readonly label: string;
  readonly folders: readonly string[];
  readonly seeds: readonly number[];
}

/** Groups the runs in their order; a group is named after its first run. */
export function groupBySeed(runs: readonly LocalRun[]): SeedGroup[] {
  return report.groupBySeed(runs).map((own) => {
    const seeds = own.map(({ spec }) => spec.seed);
    const name = basename(own[0]?.folder ?? '');
    const more = own.length === 1 ? '' : ` (seeds ${seeds.join(', ')})`;
    return { label: `${name}${more}`, folders: own.map(({ folder }) => folder), seeds };
  });
}

/**
 * Tests every two groups on the validations in their folders.
 *
 * @param at common: at the newest validation of a trained step that all their runs have; end: at the newest of each run
 * @throws trainer.corrupt_run
 */
export function testGroups(groups: readonly SeedGroup[], at: 'common' | 'end' = 'common'): report.GroupTests {
  const tested = groups.map(({ label, folders }) => ({
    label,
    runs: folders.map((folder) => ({
      spec: readRunSpec(folder),
      plugins: loadOrigin(folder).plugins,
      validated: listValidations(folder),
      outcomesAt: (step: number) => loadEvaluation(join(folder, runLayout.validationOf(step))).outcomes,
    })),
  }));
  return report.testGroups(tested, at);
}

/** Steps of the validations in a run folder. */
export function listValidations(folder: string): number[] {
  const path = join(folder, runLayout.validation);
  if (!existsSync(path)) return [];
  return readdirSync(path).flatMap((name) => runLayout.stepOf(name) ?? []);
}
