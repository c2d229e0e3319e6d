/** @file One training run as a child process. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runLayout } from '@espalier/contracts';
import { isAlive, type ProcessIdentity, readLockOwner, saveWholeFile, startOf } from '@espalier/files';
import { type ChildResult, runChild } from './child.js';
import { limitThreads, saveRequest, stateOf, stepOf, type TrainingJob } from './training-job.js';

export interface TrainOptions {
  /** the program `espalier`, as a script for Node */
  readonly cli: string;
  /** most threads of a run */
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  /** an iteration is done */
  readonly onStep: (step: number) => void;
}

/** How often a run that another process trains is looked at, ms. */
const lookMs = 500;

/**
 * Trains one run, from its newest checkpoint where there is one; its output goes to the job's log. A run that a process of a
 * killed sweep still trains is waited for first. The last line of one that finished is its success.
 */
export async function trainJob(
  job: TrainingJob,
  { cli, threads, signal, onStep }: TrainOptions,
): Promise<ChildResult> {
  await waitForOwner(job, signal, onStep);
  if (stateOf(job) === 'finished') return { exitCode: 0, lastLine: 'trained to its end by another process' };
  const resume = stateOf(job) === 'absent' && !isBegun(job) ? [] : ['--resume'];
  saveRequest(job);
  const set = [...job.overrides, ...limitThreads(job, threads)];
  const words = ['train', job.config, ...set.flatMap((one) => ['--set', one]), '--out', job.folder];
  const file = processFile(job);
  let success = '';
  const { exitCode, lastLine } = await runChild([cli, ...words, ...resume], {
    log: job.log,
    signal,
    onStart: (pid) => saveWholeFile(file, JSON.stringify({ pid, started: startOf(pid) })),
    onLine: (line) => {
      const step = /^step (\d+) {2}success/.exec(line)?.[1];
      if (step !== undefined) onStep(Number(step));
      if (line.startsWith('success on fixed states: ')) success = line;
    },
  });
  rmSync(file, { force: true });
  // who reads of many runs wants what came out of each; how one of them is resumed is of no use where all are
  const [last = ''] = lastLine.split('; resume with: ', 1);
  const said = last === '' ? 'ended before it wrote a line' : last;
  return { exitCode, lastLine: exitCode === 0 && success !== '' ? success : said };
}

/** Names the process that trains a run, which takes the lock of its folder only a moment later. */
const processFile = ({ folder }: TrainingJob): string => `${folder}.process.json`;

function processOf(job: TrainingJob): ProcessIdentity | undefined {
  const file = processFile(job);
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // it ended meanwhile
  }
}

const ownerOf = ({ folder }: TrainingJob) => readLockOwner(join(folder, runLayout.lock));

/** A process that was killed before its first file leaves its lock. */
const isBegun = (job: TrainingJob): boolean => ownerOf(job) !== undefined;

async function waitForOwner(
  job: TrainingJob,
  signal: AbortSignal,
  onStep: (step: number) => void,
): Promise<void> {
  for (let step = 0; !signal.aborted;) {
    const owners = [processOf(job), ownerOf(job)].filter((owner) => owner !== undefined);
    if (!owners.some(isAlive)) return;
    const now = stepOf(job);
    if (now > step) onStep(now);
    step = now;
    await setTimeout(lookMs, undefined, { signal }).catch(() => undefined);
  }
}
