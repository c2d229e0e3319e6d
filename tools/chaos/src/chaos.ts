/**
 * @file Kills one algorithm's runs until enough processes have died, lets each run end, and compares it with one
 * that was never interrupted.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createStream } from '@espalier/random';
import { createMoments, type Moments } from './draw-moments.js';
import { type Fingerprint, listDifferences, takeFingerprint } from './fingerprint.js';
import { type Life, live, type Moment, type Stretch, stretches } from './life.js';

export interface ChaosReport {
  readonly algorithm: string;
  readonly kills: number;
  /** what the processes were doing when they died */
  readonly killsIn: Readonly<Record<Stretch, number>>;
  /** deaths that left a half-written checkpoint on disk */
  readonly halfCheckpoints: number;
  readonly runs: number;
  readonly equalRuns: number;
  /** differences of the others, with the moments that led to them */
  readonly failures: readonly { readonly run: string; readonly differences: readonly string[] }[];
  /** completed iterations made again, per kill */
  readonly stepsRedone: { readonly mean: number; readonly max: number };
  /** ms from starting `--resume` to the loop going on */
  readonly recoveryMs: { readonly median: number; readonly max: number };
  /** the same for the uninterrupted run */
  readonly plainStartMs: number;
}

export interface ChaosOptions {
  readonly folder: string;
  readonly algorithm: string;
  readonly kills: number;
  readonly seed: number;
  /** stretches to aim at; each must be met, with up to ten kills more than `kills` */
  readonly deck: readonly Stretch[];
  readonly say: (line: string) => void;
}

/** Kills after which a run is left in peace; the last one may get fewer. */
const killsPerRun = 5;

interface Tally {
  readonly killed: Life[];
  readonly recovered: number[];
  readonly redone: number[];
  halfCheckpoints: number;
}

/** Runs the whole experiment; an error of a process that was not killed ends it. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { folder, algorithm, kills, seed, say } = options;
  const scratch = join(folder, `runs-${algorithm}`);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const usual = await live(wordsOf(algorithm, scratch, 'whole'), folder);
  requireEnd(usual);
  const expected = takeFingerprint(join(scratch, 'whole'));
  say(`${algorithm}: uninterrupted run of ${usual.lastStep} steps, ${describeTimes(usual)}`);
  const moments = createMoments(createStream(seed), usual, options.deck);
  const tally: Tally = { killed: [], recovered: [], redone: [], halfCheckpoints: 0 };
  const failures: { run: string; differences: string[] }[] = [];
  let runs = 0;
  for (;;) {
    const missed = options.deck.filter((wanted) => tally.killed.every(({ stretch }) => stretch !== wanted));
    const left = Math.max(kills - tally.killed.length, Number(missed.length > 0));
    if (left === 0 || tally.killed.length >= kills + 10) break;
    if (tally.killed.length >= kills) missed.forEach((stretch) => moments.insist(stretch));
    const name = `run-${(runs += 1)}`;
    const count = Math.min(killsPerRun, left);
    await killAndFinish({ ...options, scratch, name }, moments, count, tally);
    const differences = compare(expected, join(scratch, name));
    if (differences.length > 0) failures.push({ run: name, differences });
    say(
      `${algorithm}: ${tally.killed.length} of ${kills} killed; ${name} ${differences.length === 0 ? 'equals' : 'DIFFERS from'} the uninterrupted run`,
    );
    if (differences.length === 0) rmSync(join(scratch, name), { recursive: true });
  }
  return report(algorithm, runs, failures, tally, usual);
}

function wordsOf(algorithm: string, scratch: string, name: string): string[] {
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

async function killAndFinish(trial: Trial, moments: Moments, count: number, tally: Tally): Promise<void> {
  let died = 0;
  let reached = 0;
  for (;;) {
    const moment = died < count ? moments.next(died === 0) : undefined;
    const life = await startOrResume(trial, moment);
    if (life.startMs !== undefined && died > 0) {
      tally.recovered.push(life.startMs);
      tally.redone.push(Math.max(0, reached - life.firstStep));
      reached = life.firstStep;
    }
    reached = Math.max(reached, life.lastStep);
    if (!life.isKilled) return requireEnd(life);
    died += 1;
    tally.killed.push(life);
    tally.halfCheckpoints += Number(hasHalfCheckpoint(join(trial.scratch, trial.name)));
    trial.say(`  killed in ${life.stretch}, step ${life.lastStep}`);
  }
}

/** Resumes a run; where nothing of it has begun, starts it. */
async function startOrResume({ algorithm, folder, scratch, name }: Trial, moment?: Moment): Promise<Life> {
  const run = join(scratch, name);
  const hasBegun = existsSync(run) && readdirSync(run).length > 0;
  const words = wordsOf(algorithm, scratch, name);
  return live(hasBegun ? [...words, '--resume'] : words, folder, moment);
}

function hasHalfCheckpoint(run: string): boolean {
  const checkpoints = join(run, 'checkpoints');
  return existsSync(checkpoints) && readdirSync(checkpoints).some((name) => name.startsWith('.tmp-'));
}

function requireEnd({ code, stderr, stretch }: Life): void {
  if (code !== 0)
    throw new Error(`a run that was not killed ended with ${String(code)} in ${stretch}: ${stderr}`);
}

function describeTimes({ stretches: told }: Life): string {
  const total = (wanted: Stretch): number =>
    told.filter(({ stretch }) => stretch === wanted).reduce((sum, { ms }) => sum + ms, 0);
  return stretches.map((stretch) => `${stretch} ${total(stretch).toFixed(0)} ms`).join(', ');
}

function report(
  algorithm: string,
  runs: number,
  failures: ChaosReport['failures'],
  { killed, recovered, redone, halfCheckpoints }: Tally,
  usual: Life,
): ChaosReport {
  const sorted = [...recovered].sort((a, b) => a - b);
  const countIn = (wanted: Stretch): number => killed.filter(({ stretch }) => stretch === wanted).length;
  return {
    algorithm,
    kills: killed.length,
    halfCheckpoints,
    runs,
    failures,
    killsIn: Object.fromEntries(stretches.map((stretch) => [stretch, countIn(stretch)])) as Record<
      Stretch,
      number
    >,
    equalRuns: runs - failures.length,
    stepsRedone: {
      mean: redone.reduce((sum, steps) => sum + steps, 0) / Math.max(1, redone.length),
      max: Math.max(0, ...redone),
    },
    recoveryMs: {
      median: Math.round(sorted[Math.floor(sorted.length / 2)] ?? Number.NaN),
      max: Math.round(sorted.at(-1) ?? Number.NaN),
    },
    plainStartMs: Math.round(usual.startMs ?? Number.NaN),
  };
}
