/** @file One training run as a child process. */
import { type ChildResult, cli, runChild } from './child.js';
import { type Job, overridesOf, saveRequest, stateOf } from './job.js';

export interface TrainOptions {
  readonly threads: number | undefined;
  readonly signal: AbortSignal;
  /** an iteration is done */
  readonly onStep: (step: number) => void;
}

/** Trains one seed, from its newest checkpoint where there is one; its output goes to the job's log. */
export function trainChild(job: Job, { threads, signal, onStep }: TrainOptions): Promise<ChildResult> {
  const resume = stateOf(job) === 'absent' ? [] : ['--resume'];
  saveRequest(job);
  const set = [...overridesOf(job), ...(threads === undefined ? [] : [`device.threads=${threads}`])];
  const words = ['train', job.entry.config, ...set.flatMap((one) => ['--set', one]), '--out', job.folder];
  return runChild([cli, ...words, ...resume], {
    log: job.log,
    signal,
    onLine: (line) => {
      const step = /^step (\d+) {2}success/.exec(line)?.[1];
      if (step !== undefined) onStep(Number(step));
    },
  });
}
