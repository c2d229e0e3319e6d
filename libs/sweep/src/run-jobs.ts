/** @file The queue: jobs one after the other, or a few side by side; what is finished already is not repeated. */
import type { ChildResult } from './child.js';
import type { Progress } from './progress.js';
import { trainJob } from './train-job.js';
import { outcomeOf, stateOf, type TrainingJob } from './training-job.js';

/** How a job of the queue ended; `collapsed` and `no-signal` count as finished. */
export type JobEnd = 'finished' | 'stopped' | 'failed';

export interface RunJobsOptions<Job extends TrainingJob> {
  /** the program `espalier`, as a script for Node */
  readonly cli: string;
  readonly parallel: number;
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly onStart?: (job: Job) => void;
  readonly onEnd?: (job: Job, end: JobEnd, result: ChildResult) => void;
}

export type JobCounts = Readonly<Record<JobEnd, number>>;

/** Exit codes of `train`: a run without learning signal, or one that collapsed, has ended; 75 can be resumed. */
const exits = { ok: 0, failed: 5, temporary: 75 };

/** Runs what is not finished yet; a run that fails does not stop the others. */
export async function runJobs<Job extends TrainingJob>(
  jobs: readonly Job[],
  options: RunJobsOptions<Job>,
): Promise<JobCounts> {
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

async function runOne<Job extends TrainingJob>(job: Job, options: RunJobsOptions<Job>): Promise<JobEnd> {
  const { cli, threads, signal, progress, onStart, onEnd } = options;
  progress.start(job);
  onStart?.(job);
  const result = await trainJob(job, { cli, threads, signal, onStep: (step) => progress.step(job, step) });
  const end = endOf(job, result);
  progress.end(job, describeEnd(end, result, signal.aborted));
  onEnd?.(job, end, result);
  return end;
}

/** A run that was asked to stop has nothing to tell; why another one ended is news. */
function describeEnd(end: JobEnd, { exitCode, lastLine }: ChildResult, isAsked: boolean): string {
  if (end === 'finished') return lastLine;
  return end === 'stopped' && isAsked ? end : `${end} (exit ${exitCode}): ${lastLine}`;
}

function endOf({ folder }: TrainingJob, { exitCode }: ChildResult): JobEnd {
  if (exitCode === exits.ok) return 'finished';
  const outcome = outcomeOf(folder);
  if (exitCode === exits.failed && (outcome === 'no-signal' || outcome === 'collapsed')) return 'finished';
  return exitCode === exits.temporary ? 'stopped' : 'failed';
}
