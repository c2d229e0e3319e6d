/** @file What a report is about: sweeps, by their file or their folder, and single runs. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { leaves } from '@espalier/config';
import { loadSweep, type SweepSpec } from '@espalier/config/sweep';
import { AppError, runLayout } from '@espalier/contracts';
import { changedOptions, outcomeOf, requestedSteps } from '@espalier/sweep';
import { groupBySeed } from '../local/compare-runs.js';
import { readLocalRun } from '../local/local-runs.js';
import { isRunFolder, readRunSpec } from '../local/recorded-run.js';
import { endedState } from '../sweep/run-sweep.js';
import { resumeWords } from '../sweep/resume-words.js';
import {
  defaultSweepFolder,
  listSweepRuns,
  readSweepState,
  sweepFileName,
  type SweepRecord,
  type SweepState,
} from '../sweep/sweep-runs.js';
import type { EndedRun } from './judge-claims.js';

/** A run that is not part of the numbers, and why. */
export interface MissingRun {
  readonly name: string;
  readonly why: string;
}

/** A sweep, or runs that were named one by one. */
export interface Subject {
  readonly name: string;
  readonly title: string;
  /** of the sweep; absent for single runs */
  readonly file?: string;
  readonly spec?: SweepSpec;
  /** words after the name of the program that run what is missing of the sweep */
  readonly resume?: string;
  readonly ended: readonly (EndedRun & { readonly outcome: string })[];
  readonly missing: readonly MissingRun[];
  /** options with which ended runs differ from the file, as they were */
  readonly changed: readonly { readonly options: readonly string[]; readonly runs: readonly string[] }[];
}

const over = new Set(['finished', 'collapsed', 'no-signal']);
const isOver = (folder: string): boolean => over.has(outcomeOf(folder) ?? '');

/**
 * Reads what the words of a command name; single runs are one subject.
 *
 * @throws cli.run_not_found, config.*, trainer.corrupt_run
 */
export function readSubjects(words: readonly string[]): Subject[] {
  const runs = words.filter(isRun);
  const sweeps = words.filter((word) => !isRun(word)).map(readSweep);
  return [...sweeps, ...(runs.length === 0 ? [] : [readRuns(runs)])];
}

/** Whether a word names a single run. */
export const isRun = (word: string): boolean => !isFile(word) && isRunFolder(word);

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

function readSweep(word: string): Subject {
  if (isFile(word)) return readSweepFile(word);
  const state = readSweepState(word);
  if (state !== undefined) {
    const { ended, missing } = sortRuns(state.runs, word);
    const { name, file, spec } = state;
    const resume = resumeSweep(state, state, word);
    return { name, title: spec.title, file, spec, resume, ended, missing, changed: [] };
  }
  // a file that is not there is reported as such
  if (/\.ya?ml$/.test(word)) return readSweepFile(word);
  throw new AppError(
    'cli.run_not_found',
    `report ${word}: it is no sweep and no run (no ${sweepFileName}, no ${runLayout.spec}); name the file of a sweep, its folder, or run folders`,
  );
}

/** By its file: what was planned and has not run is missing. */
function readSweepFile(path: string): Subject {
  const { name, file, spec, variants } = loadSweep(path);
  const folder = defaultSweepFolder(name);
  const planned = listSweepRuns(variants, spec.seeds, folder);
  const state = readSweepState(folder);
  const records = new Map<string, SweepRecord>(
    planned.map((run) => [run.name, { ...run, state: isOver(run.folder) ? endedState(run) : 'waiting' }]),
  );
  for (const record of state?.runs ?? []) records.set(record.name, record);
  const { ended, missing } = sortRuns([...records.values()], folder);
  const byOptions = new Map<string, { options: string[]; runs: string[] }>();
  for (const run of planned) {
    if (ended.every((one) => one.folder !== run.folder)) continue;
    const options = changedOptions(run);
    if (options.length === 0) continue;
    const values = new Map(leaves(readRunSpec(run.folder)).map(([option, value]) => [option, value]));
    const written = options.map((option) => `${option}=${JSON.stringify(values.get(option)) ?? 'default'}`);
    const group = byOptions.get(written.join(' ')) ?? { options: written, runs: [] };
    group.runs.push(run.name);
    byOptions.set(written.join(' '), group);
  }
  const resume = resumeSweep({ name, file, spec, runs: [...records.values()] }, state, folder);
  return { name, title: spec.title, file, spec, resume, ended, missing, changed: [...byOptions.values()] };
}

/** The command for all runs of a sweep, as it was begun; those that have ended are not repeated. */
function resumeSweep(
  { name, file, spec, runs }: Pick<SweepState, 'name' | 'file' | 'spec' | 'runs'>,
  begun: Pick<SweepState, 'set' | 'server'> | undefined,
  folder: string,
): string {
  const seeds = [...new Set(runs.map(({ seed }) => seed))];
  const variants = [...new Set(runs.map(({ variant }) => variant))];
  const isOfFile = seeds.length === spec.seeds.length && seeds.every((seed) => spec.seeds.includes(seed));
  return resumeWords(file, {
    set: begun?.set,
    server: begun?.server,
    only: variants.length === countVariants(spec) ? [] : variants,
    seeds: isOfFile ? undefined : seeds,
    out: resolve(folder) === resolve(defaultSweepFolder(name)) ? undefined : folder,
  });
}

const countVariants = ({ variants, grid }: SweepSpec): number =>
  [variants, ...Object.values(grid)].reduce((count, axis) => count * (Object.keys(axis).length || 1), 1);

function sortRuns(records: readonly SweepRecord[], folder: string): Pick<Subject, 'ended' | 'missing'> {
  const ended: (EndedRun & { outcome: string })[] = [];
  const missing: MissingRun[] = [];
  for (const { name, variant, seed, state, message } of records) {
    const own = join(folder, name);
    const outcome = isRunFolder(own) ? outcomeOf(own) : undefined;
    if (outcome !== undefined && over.has(outcome) && state !== 'waiting' && !isShort(own))
      ended.push({ variant, seed, folder: own, outcome });
    else if (state === 'failed')
      missing.push({ name, why: `failed${message === undefined ? '' : `: ${message}`}` });
    else missing.push({ name, why: isRunFolder(own) ? 'unfinished' : 'not run' });
  }
  return { ended, missing };
}

/** Whether a run has ended for fewer steps than it was then asked for, and has not begun with these. */
const isShort = (folder: string): boolean => (requestedSteps({ folder }) ?? 0) > readRunSpec(folder).steps;

function readRuns(folders: readonly string[]): Subject {
  const groups = groupBySeed(folders.map(readLocalRun));
  const all = groups.flatMap(({ label, folders: own, seeds }) =>
    own.map((folder, index) => ({
      variant: label,
      seed: seeds[index] ?? 0,
      folder,
      outcome: outcomeOf(folder) ?? '',
    })),
  );
  return {
    name: 'runs',
    title: folders.length === 1 ? 'One run' : `${folders.length} runs`,
    ended: all.filter(({ outcome }) => over.has(outcome)),
    missing: all
      .filter(({ outcome }) => !over.has(outcome))
      .map(({ folder }) => ({ name: folder, why: 'unfinished' })),
    changed: [],
  };
}
