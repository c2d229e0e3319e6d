/** @file The data of the three sets; the same for every page. */
import type { Rows } from './viewer.js';

export interface Amounts {
  /** metrics and steps of the long run */
  readonly metrics: number;
  readonly steps: number;
  /** runs over one another, and their steps */
  readonly runs: number;
  readonly runSteps: number;
}

export const wholeAmounts: Amounts = { metrics: 100, steps: 10_000, runs: 200, runSteps: 1000 };
export const shortAmounts: Amounts = { metrics: 6, steps: 200, runs: 12, runSteps: 50 };

/** Those that our overview has charts of come first, then as many of a user's own as are wanted. */
const known = ['rollout/success_rate', 'rollout/reward_mean', 'rollout/entropy', 'policy/gradient_norm'];
export const overlaid = 'rollout/reward_mean';

/** One run of many metrics: waves with noise, the same in every call. */
export function longRun({ metrics, steps }: Amounts): Rows {
  const names = Array.from(
    { length: metrics },
    (_, at) => known[at] ?? `custom/metric_${String(at).padStart(3, '0')}`,
  );
  const values = new Float64Array(metrics * steps);
  let seed = 1;
  for (let at = 0; at < values.length; at++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const [step, metric] = [Math.floor(at / metrics), at % metrics];
    values[at] = Math.sin(step / 500 + metric) + 0.2 * (seed / 2_147_483_647);
  }
  return { set: 'long', run: 'long', names, first: 1, values };
}

/** Many runs of one metric, each a little later and higher than the one before. */
export function manyRuns({ runs, runSteps }: Amounts): Rows[] {
  return Array.from({ length: runs }, (_, run) => ({
    set: 'many',
    run: `many-${String(run).padStart(3, '0')}`,
    names: [overlaid],
    first: 1,
    values: Float64Array.from(
      { length: runSteps },
      (_, step) => Math.sin((step + 3 * run) / 100) + run / 100,
    ),
  }));
}

/** The beginning of the run that goes on, or one more step of it: it jumps, so that each step changes the picture. */
export function liveRows(first: number, steps: number): Rows {
  const values = Float64Array.from({ length: steps }, (_, at) => ((first + at) % 2) + (first + at) / 100);
  return { set: 'live', run: 'live', names: [overlaid], first, values };
}
