/**
 * @file Kills the runs of one algorithm until enough processes have died, lets each run finish, and compares it with an
 * uninterrupted run.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createStream } from '@espalier/random';
import { createKillPoints, type KillPoints } from './kill-points.js';
import { type Fingerprint, listDifferences, takeFingerprint } from './fingerprint.js';
import {
  type ProcessRun,
  runProcess,
  type KillPoint,
  type TrainingPhase,
  trainingPhases,
} from './training-process.js';

export interface ChaosReport {
  readonly algorithm: string;
  readonly kills: number;
  /** kills by the phase of the process */
  readonly killsByPhase: Readonly<Record<TrainingPhase, number>>;
  /** kills that left a partial checkpoint on disk */
  readonly partialCheckpoints: number;
  readonly runs: number;
  readonly equalRuns: number;
  /** the runs that differ, and how */
  readonly failures: readonly { readonly run: string; readonly differences: readonly string[] }[];
  /** completed iterations that were repeated, per kill */
  readonly stepsRepeated: { readonly mean: number; readonly max: number };
  /** ms from `--resume` to the start of the training loop */
  readonly recoveryMs: { readonly median: number; readonly max: number };
  /** the same for the uninterrupted run */
  readonly plainStartMs: number;
}

export interface ChaosOptions {
  readonly folder: string;
  readonly algorithm: string;
  readonly kills: number;
  readonly seed: number;
  /** phases to aim at; each must be hit, with up to ten kills more than `kills` */
  readonly targets: readonly TrainingPhase[];
  readonly log: (line: string) => void;
}

/** Kills per run; the last run may get fewer. */
const killsPerRun = 5;

interface Tally {
  readonly killed: ProcessRun[];
  readonly recoveryTimes: number[];
  readonly repeatedSteps: number[];
  partialCheckpoints: number;
}

/** Runs the experiment; it fails when a process that was not killed fails. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { folder, algorithm, kills, seed, log } = options;
  const scratch = join(folder, `runs-${algorithm}`);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const uninterrupted = await runProcess(argumentsOf(algorithm, scratch, 'whole'), folder);
  assertFinished(uninterrupted);
  const expected = takeFingerprint(join(scratch, 'whole'));
  log(`${algorithm}: uninterrupted run of ${uninterrupted.lastStep} steps, ${describeTimes(uninterrupted)}`);
  const killPoints = createKillPoints(createStream(seed), uninterrupted, options.targets);
  const tally: Tally = { killed: [], recoveryTimes: [], repeatedSteps: [], partialCheckpoints: 0 };
  const failures: { run: string; differences: string[] }[] = [];
  let runs = 0;
  for (;;) {
    const missed = options.targets.filter((wanted) => tally.killed.every(({ phase }) => phase !== wanted));
    const left = Math.max(kills - tally.killed.length, Number(missed.length > 0));
    if (left === 0 || tally.killed.length >= kills + 10) break;
    if (tally.killed.length >= kills) missed.forEach((phase) => killPoints.force(phase));
    const name = `run-${(runs += 1)}`;
    const count = Math.min(killsPerRun, left);
    await killAndFinish({ ...options, scratch, name }, killPoints, count, tally);
    const differences = compare(expected, join(scratch, name));
    if (differences.length > 0) failures.push({ run: name, differences });
    log(
      `${algorithm}: ${tally.killed.length} of ${kills} killed; ${name} ${differences.length === 0 ? 'equals' : 'DIFFERS from'} the uninterrupted run`,
    );
    if (differences.length === 0) rmSync(join(scratch, name), { recursive: true });
  }
  return report(algorithm, runs, failures, tally, uninterrupted);
}

function argumentsOf(algorithm: string, scratch: string, name: string): string[] {
  return ['train', `${algorithm}.yaml`, '--out', join(scratch, name)];
}

function compare(expected: Fingerprint, folder: string): string[] {
  try {
    return listDifferences(expected, takeFingerprint(folder));
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

interface Trial extends ChaosOptions {
  readonly scratch: string;
  readonly name: string;
}

async function killAndFinish(
  trial: Trial,
  killPoints: KillPoints,
  count: number,
  tally: Tally,
): Promise<void> {
  let died = 0;
  let reached = 0;
  for (;;) {
    const killPoint = died < count ? killPoints.next(died === 0) : undefined;
    const trained = await startOrResume(trial, killPoint);
    if (trained.startMs !== undefined && died > 0) {
      tally.recoveryTimes.push(trained.startMs);
      tally.repeatedSteps.push(Math.max(0, reached - trained.firstStep));
      reached = trained.firstStep;
    }
    reached = Math.max(reached, trained.lastStep);
    if (!trained.isKilled) return assertFinished(trained);
    died += 1;
    tally.killed.push(trained);
    tally.partialCheckpoints += Number(hasPartialCheckpoint(join(trial.scratch, trial.name)));
    trial.log(`  killed in ${trained.phase}, step ${trained.lastStep}`);
  }
}

/** Resumes a run, or starts it when its folder is empty. */
async function startOrResume(
  { algorithm, folder, scratch, name }: Trial,
  killPoint?: KillPoint,
): Promise<ProcessRun> {
  const run = join(scratch, name);
  const hasBegun = existsSync(run) && readdirSync(run).length > 0;
  const words = argumentsOf(algorithm, scratch, name);
  return runProcess(hasBegun ? [...words, '--resume'] : words, folder, killPoint);
}

function hasPartialCheckpoint(run: string): boolean {
  const checkpoints = join(run, 'checkpoints');
  return existsSync(checkpoints) && readdirSync(checkpoints).some((name) => name.startsWith('.tmp-'));
}

function assertFinished({ code, stderr, phase }: ProcessRun): void {
  if (code !== 0)
    throw new Error(`a run that was not killed ended with ${String(code)} in ${phase}: ${stderr}`);
}

function describeTimes({ phases }: ProcessRun): string {
  const total = (wanted: TrainingPhase): number =>
    phases.filter(({ phase }) => phase === wanted).reduce((sum, { ms }) => sum + ms, 0);
  return trainingPhases.map((phase) => `${phase} ${total(phase).toFixed(0)} ms`).join(', ');
}

function report(
  algorithm: string,
  runs: number,
  failures: ChaosReport['failures'],
  { killed, recoveryTimes, repeatedSteps, partialCheckpoints }: Tally,
  uninterrupted: ProcessRun,
): ChaosReport {
  const sorted = [...recoveryTimes].sort((a, b) => a - b);
  const countIn = (wanted: TrainingPhase): number => killed.filter(({ phase }) => phase === wanted).length;
  return {
    algorithm,
    kills: killed.length,
    partialCheckpoints,
    runs,
    failures,
    killsByPhase: Object.fromEntries(trainingPhases.map((phase) => [phase, countIn(phase)])) as Record<
      TrainingPhase,
      number
    >,
    equalRuns: runs - failures.length,
    stepsRepeated: {
      mean: repeatedSteps.reduce((sum, steps) => sum + steps, 0) / Math.max(1, repeatedSteps.length),
      max: Math.max(0, ...repeatedSteps),
    },
    recoveryMs: {
      median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN),
      max: Math.round(sorted.at(-1) ?? Number.NaN),
    },
    plainStartMs: Math.round(uninterrupted.startMs ?? Number.NaN),
  };
}
