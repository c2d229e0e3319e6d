/** Steps seen before an estimate is given: an early one is worse than none. */
const settledSteps = 10;
const smoothing = 0.15;

export interface StepTimes {
  readonly count: number;
  /** ms */
  readonly mean: number;
  /** ms² */
  readonly variance: number;
}

export const noStepTimes: StepTimes = { count: 0, mean: 0, variance: 0 };

/** Adds the duration of a step to an exponentially weighted mean and variance. */
export function addStepTime(times: StepTimes, ms: number): StepTimes {
  if (times.count === 0) return { count: 1, mean: ms, variance: 0 };
  // Plain averages while few steps are known, exponential afterwards.
  const weight = Math.max(smoothing, 1 / (times.count + 1));
  const difference = ms - times.mean;
  return {
    count: times.count + 1,
    mean: times.mean + weight * difference,
    variance: (1 - weight) * (times.variance + weight * difference * difference),
  };
}

/**
 * Estimates the time that remains as a range, in ms; undefined before ten steps.
 * Half of the range is two standard deviations of the sum of the steps to come, at least a tenth.
 */
export function estimateRemaining(
  times: StepTimes,
  steps: number,
): readonly [low: number, high: number] | undefined {
  if (times.count < settledSteps || steps <= 0) return undefined;
  const middle = times.mean * steps;
  const half = Math.max(0.1 * middle, 2 * Math.sqrt(times.variance * steps));
  return [Math.max(0, middle - half), middle + half];
}

/** Writes a duration in the two largest units: `42 s`, `3 min 10 s`, `2 h 5 min`, `3 d 4 h`. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
