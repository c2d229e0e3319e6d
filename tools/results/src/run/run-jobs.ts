/** @file The queue: jobs one after the other, or a few side by side; what is finished already is not repeated. */
import { outcomeOf, stateOf, type Job } from './job.js';
import type { Progress } from './progress.js';
import { trainChild } from './train-child.js';

export interface RunJobsOptions {
  readonly parallel: number;
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** a seed has come to its end */
  readonly onFinished: (job: Job) => void;
}

export interface JobCounts {
  readonly finished: number;
  readonly stopped: number;
  readonly failed: number;
}

/** Exit codes of `train`: a run without learning signal counts as ended; 75 can be resumed. */
const exits = { ok: 0, failed: 5, temporary: 75 };

/** Runs what is not finished yet; a run that fails does not stop the others. */
export async function runJobs(jobs: readonly Job[], options: RunJobsOptions): Promise<JobCounts> {
  const waiting = jobs.filter((job) => stateOf(job) !== 'finished');
  const counts = { finished: jobs.length - waiting.length, stopped: 0, failed: 0 };
  options.progress.begin(waiting, jobs.length);
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      if (options.signal.aborted) counts.stopped++;
      else counts[await runOne(job, options)]++;
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, work));
  return counts;
}

async function runOne(job: Job, options: RunJobsOptions): Promise<keyof JobCounts> {
  const { threads, signal, progress, onFinished } = options;
  progress.start(job);
  const { exitCode, lastLine } = await trainChild(job, {
    threads,
    signal,
    onStep: (step) => progress.step(job, step),
  });
  const isNoSignal = exitCode === exits.failed && outcomeOf(job.folder) === 'no-signal';
  const end =
    exitCode === exits.ok || isNoSignal ? 'finished' : exitCode === exits.temporary ? 'stopped' : 'failed';
  progress.end(job, end === 'finished' ? lastLine : `${end} (exit ${exitCode}): ${lastLine}`);
  if (end === 'finished') onFinished(job);
  return end;
}
