/** @file Progress output of the runs: a line per start, per few iterations and per end, with the time that is left. */
import { plannedSteps, type TrainingJob } from './training-job.js';

export interface Progress {
  begin(waiting: readonly TrainingJob[], all: number): void;
  start(job: TrainingJob): void;
  step(job: TrainingJob, step: number): void;
  end(job: TrainingJob, finding: string): void;
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
 * @param secondsLeft of a job when it begins, by prediction; corrected by what the jobs before it took
 * @param now ms
 */
export function createProgress(options: {
  readonly write: (line: string) => void;
  readonly parallel: number;
  readonly secondsLeft: (job: TrainingJob) => number;
  readonly now: () => number;
}): Progress {
  const { write, parallel, secondsLeft, now } = options;
  const open = new Set<TrainingJob>();
  const running = new Map<TrainingJob, Running>();
  /** minutes of the jobs that went all their steps, and what was predicted for them */
  const whole = { taken: 0, predicted: 0 };
  const predictedLeft = (job: TrainingJob): number =>
    (secondsLeft(job) / 60) * (whole.predicted > 0 ? whole.taken / whole.predicted : 1);
  const leftOf = (job: TrainingJob): number => {
    const { begin, first, step } = running.get(job) ?? { begin: 0, first: undefined, step: 0 };
    const done = first === undefined ? 0 : step - first + 1;
    const planned = plannedSteps(job) ?? Number.NaN;
    if (done < 3) return predictedLeft(job);
    return (((now() - begin) / done) * (planned - step)) / 60_000;
  };
  const allLeft = (): string =>
    formatMinutes(
      [...open].reduce((sum, job) => sum + leftOf(job), 0) / Math.max(1, Math.min(parallel, open.size)),
    );
  return {
    begin(waiting, all) {
      waiting.forEach((job) => open.add(job));
      const time = waiting.length === 0 ? '' : `: about ${allLeft()}`;
      write(
        `${all} ${all === 1 ? 'run' : 'runs'}, ${all - waiting.length} finished already, ${waiting.length} to go${time}`,
      );
    },
    start(job) {
      running.set(job, { begin: now(), first: undefined, step: 0 });
      write(`${job.label}: begins; log ${job.log}`);
    },
    step(job, step) {
      const state = running.get(job);
      if (state === undefined) return;
      state.first ??= step;
      state.step = step;
      if (step % linesEverySteps !== 0) return;
      const left = formatMinutes(leftOf(job));
      write(`${job.label}: step ${step} of ${plannedSteps(job) ?? '?'}, ${left} left; all: ${allLeft()}`);
    },
    end(job, finding) {
      const { begin, step } = running.get(job) ?? { begin: now(), step: 0 };
      const minutes = (now() - begin) / 60_000;
      const predicted = secondsLeft(job) / 60;
      if (step === plannedSteps(job) && predicted > 0) {
        whole.taken += minutes;
        whole.predicted += predicted;
      }
      open.delete(job);
      running.delete(job);
      write(`${job.label}: ${finding} [${formatMinutes(minutes)}; all: ${allLeft()} left]`);
    },
  };
}

/** Writes seconds, minutes, or hours and minutes. */
export function formatMinutes(minutes: number): string {
  if (Number.isNaN(minutes)) return '?';
  if (minutes >= 60) return `${Math.floor(minutes / 60)} h ${Math.round(minutes % 60)} min`;
  if (minutes < 0.995) return `${Math.round(minutes * 60)} s`;
  return minutes >= 10 ? `${minutes.toFixed(0)} min` : `${minutes.toFixed(1)} min`;
}
