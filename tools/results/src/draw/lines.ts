/** @file Several seeds as one line with a band: mean, lowest and highest at every step that all or some reached. */
import type { EntryResult, Points } from '../collect/result.js';
import type { CurveName } from '../collect/curves.js';

export interface BandPoint {
  readonly step: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Merges the curves of seeds; at a step that only some reached, those. */
export function mergeSeeds(curves: readonly Points[]): BandPoint[] {
  const bySteps = new Map<number, number[]>();
  for (const [step, value] of curves.flat()) bySteps.set(step, [...(bySteps.get(step) ?? []), value]);
  return [...bySteps]
    .sort(([a], [b]) => a - b)
    .map(([step, values]) => ({
      step,
      mean: values.reduce((sum, value) => sum + value, 0) / values.length,
      low: Math.min(...values),
      high: Math.max(...values),
    }));
}

/** A metric of an entry over its seeds. */
export function lineOf({ seeds }: EntryResult, curve: CurveName): BandPoint[] {
  return mergeSeeds(seeds.flatMap(({ curves }) => (curves[curve] === undefined ? [] : [curves[curve]])));
}

/** Success on the fixed states; with a single seed the band is its 95 % interval. */
export function validationLine({ seeds }: EntryResult): BandPoint[] {
  const [only] = seeds;
  if (seeds.length === 1 && only !== undefined)
    return only.validations.map(({ step, success, low, high }) => ({ step, mean: success, low, high }));
  return mergeSeeds(
    seeds.map(({ validations }) => validations.map(({ step, success }) => [step, success] as const)),
  );
}
