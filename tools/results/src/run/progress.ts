/** @file Progress output of the runs: a line per start, per few iterations and per end, with the time that is left. */
import { applyOverrides, loadConfig } from '@espalier/config';
import { type Job, overridesOf } from './job.js';

export interface Progress {
  begin(waiting: readonly Job[], all: number): void;
  start(job: Job): void;
  step(job: Job, step: number): void;
  end(job: Job, finding: string): void;
}

interface Running {
  readonly begin: number;
  /** iteration that was done first in this process */
  first: number | undefined;
  step: number;
}

const linesEverySteps = 5;

/**
 * Creates a progress that writes lines.
 *
 * @param expectedMinutes how long a job takes that has not begun
 * @param now ms
 */
export function createProgress(options: {
  readonly write: (line: string) => void;
  readonly parallel: number;
  readonly expectedMinutes: (job: Job) => number;
  readonly now: () => number;
}): Progress {
  const { write, parallel, expectedMinutes, now } = options;
  const open = new Set<Job>();
  const running = new Map<Job, Running>();
  const label = ({ entry, seed }: Job): string => `${entry.name} seed ${seed}`;
  const leftOf = (job: Job): number => {
    const { begin, first, step } = running.get(job) ?? { begin: 0, first: undefined, step: 0 };
    const done = first === undefined ? 0 : step - first + 1;
    if (done < 3) return expectedMinutes(job);
    return (((now() - begin) / done) * (plannedSteps(job) - step)) / 60_000;
  };
  const allLeft = (): string =>
    formatMinutes(
      [...open].reduce((sum, job) => sum + leftOf(job), 0) / Math.max(1, Math.min(parallel, open.size)),
    );
  return {
    begin(waiting, all) {
      waiting.forEach((job) => open.add(job));
      write(
        `${all} runs, ${all - waiting.length} finished already, ${waiting.length} to go: about ${allLeft()}`,
      );
    },
    start(job) {
      running.set(job, { begin: now(), first: undefined, step: 0 });
      write(`${label(job)}: begins; log ${job.log}`);
    },
    step(job, step) {
      const state = running.get(job);
      if (state === undefined) return;
      state.first ??= step;
      state.step = step;
      if (step % linesEverySteps !== 0) return;
      const left = formatMinutes(leftOf(job));
      write(`${label(job)}: step ${step} of ${plannedSteps(job)}, ${left} left; all: ${allLeft()}`);
    },
    end(job, finding) {
      const minutes = (now() - (running.get(job)?.begin ?? now())) / 60_000;
      open.delete(job);
      running.delete(job);
      write(`${label(job)}: ${finding} [${formatMinutes(minutes)}; all: ${allLeft()} left]`);
    },
  };
}

function plannedSteps(job: Job): number {
  const { value } = applyOverrides(loadConfig(job.entry.config), overridesOf(job));
  return typeof value['steps'] === 'number' ? value['steps'] : Number.NaN;
}

function formatMinutes(minutes: number): string {
  if (Number.isNaN(minutes)) return '?';
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${Math.round(minutes % 60)} min`;
  return minutes >= 10 ? `${minutes.toFixed(0)} min` : `${minutes.toFixed(1)} min`;
}
