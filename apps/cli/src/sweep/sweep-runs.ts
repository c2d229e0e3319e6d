/** @file The runs of a sweep: one folder each, and the file that says how far the sweep is. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Sweep, type SweepSpec, type SweepVariant } from '@espalier/config/sweep';
import { AppError } from '@espalier/contracts';
import { nearestKey } from '@espalier/contracts/nearest-key';
import { saveWholeFile } from '@espalier/files';
import { stateOf, type TrainingJob } from '@espalier/sweep';

/** One variant with one seed. */
export interface SweepRun extends TrainingJob {
  readonly name: string;
  readonly variant: string;
  readonly seed: number;
}

/** `waiting` has not begun; the last four have ended. */
export const sweepRunStates = [
  'waiting',
  'running',
  'stopped',
  'finished',
  'collapsed',
  'no-signal',
  'failed',
] as const;
export type SweepRunState = (typeof sweepRunStates)[number];

/** After which a run has nothing left to do of what it was asked. */
const over: readonly SweepRunState[] = ['finished', 'collapsed', 'no-signal'];

/** What is known of a run, as it is stored. */
export interface SweepRecord {
  readonly name: string;
  readonly variant: string;
  readonly seed: number;
  readonly config: string;
  readonly overrides: readonly string[];
  readonly state: SweepRunState;
  /** last line that a run has said which did not finish */
  readonly message?: string;
  /** on a server */
  readonly runId?: string;
}

/** The file of a sweep; paths are relative to where it was started. */
export interface SweepState {
  /** random; tells it from another sweep of the same name on a server */
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly spec: SweepSpec;
  /** what the command line changed */
  readonly set: readonly string[];
  /** address of the server that runs it */
  readonly server?: string;
  readonly runs: readonly SweepRecord[];
}

export const sweepFileName = 'sweep.json';

/** The folder of a sweep unless one is named. */
export const defaultSweepFolder = (name: string): string => join('runs', 'sweeps', name);

/** Lists the runs of variants, the seeds of one after the other. */
export function listSweepRuns(
  variants: readonly SweepVariant[],
  seeds: readonly number[],
  out: string,
): SweepRun[] {
  return variants.flatMap((variant) => seeds.map((seed) => createRun(variant, seed, out)));
}

function createRun({ name: variant, config, overrides }: SweepVariant, seed: number, out: string): SweepRun {
  const name = `${variant}-seed-${seed}`;
  const folder = join(out, name);
  return {
    label: name,
    name,
    variant,
    seed,
    config,
    overrides: [...overrides, `name=${variant}`, `seed=${seed}`],
    folder,
    log: `${folder}.log`,
  };
}

/**
 * Picks variants by their name, or by a point that they are made of.
 *
 * @throws cli.usage when a word names none
 */
export function chooseVariants({ name, variants }: Sweep, only: readonly string[]): SweepVariant[] {
  if (only.length === 0) return [...variants];
  const chosen = only.map((word) => {
    const found = variants.filter((one) => one.name === word || one.points.includes(word));
    if (found.length > 0) return found;
    const known = [...new Set(variants.flatMap((one) => [...one.points, one.name]))];
    const near = nearestKey(word, known);
    throw new AppError(
      'cli.usage',
      `sweep ${name} --only ${word}: no variant has that name; ${near === undefined ? `there are ${known.join(', ')}` : `did you mean ${near}?`}`,
    );
  });
  return variants.filter((one) => chosen.some((list) => list.includes(one)));
}

/** Reads the state of a sweep; undefined where none was started. @throws trainer.corrupt_run */
export function readSweepState(folder: string): SweepState | undefined {
  const file = join(folder, sweepFileName);
  if (!existsSync(file)) return undefined;
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as Partial<SweepState> | null;
    if (Array.isArray(state?.runs) && state.spec !== undefined) return state as SweepState;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new AppError(
    'trainer.corrupt_run',
    `read ${file}: not the state of a sweep; delete it, \`espalier sweep\` writes it again from the runs`,
  );
}

/** Keeps the file of a sweep up to date. */
export interface SweepLedger {
  readonly state: SweepState;
  recordOf(run: SweepRun): SweepRecord | undefined;
  set(run: SweepRun, change: Partial<Pick<SweepRecord, 'state' | 'message' | 'runId'>>): void;
}

/**
 * Opens the state of a sweep for writing; records of runs that are not asked for now are kept. A run that has ended and is
 * asked for more steps waits again.
 */
export function openSweepLedger(
  folder: string,
  head: Omit<SweepState, 'id' | 'runs'>,
  runs: readonly SweepRun[],
): SweepLedger {
  mkdirSync(folder, { recursive: true });
  const earlier = readSweepState(folder);
  const id = earlier?.id ?? randomUUID();
  const records = new Map(earlier?.runs.map((record) => [record.name, record]));
  for (const run of runs) {
    const { name, variant, seed, config, overrides } = run;
    const { state: known = 'waiting', message, runId } = records.get(name) ?? {};
    const state = over.includes(known) && stateOf(run) !== 'finished' ? 'waiting' : known;
    records.set(name, {
      name,
      variant,
      seed,
      config,
      overrides,
      state,
      ...(message === undefined ? {} : { message }),
      ...(runId === undefined ? {} : { runId }),
    });
  }
  const file = join(folder, sweepFileName);
  const current = (): SweepState => ({ id, ...head, runs: [...records.values()] });
  const save = (): void => saveWholeFile(file, `${JSON.stringify(current(), null, 1)}\n`);
  save();
  return {
    get state() {
      return current();
    },
    recordOf: ({ name }) => records.get(name),
    set(run, change) {
      const record = records.get(run.name);
      if (record === undefined) return;
      const { message: _message, ...kept } = record;
      records.set(run.name, { ...kept, ...change });
      save();
    },
  };
}
