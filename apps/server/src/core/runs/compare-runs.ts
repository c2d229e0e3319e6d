/** @file What differs between specs, and statistics of metrics over steps and over seeds. Arrays in, numbers out. */
import { canonicalJson, leaves } from '@espalier/config/plain';
import type { MetricSpread, RunMetric, SpecDifference } from './comparison.type.js';

type Spec = Readonly<Record<string, unknown>>;

/** Finds the options that differ; one that a run does not have is null there. */
export function diffSpecs(specs: readonly Spec[]): SpecDifference[] {
  const flat = specs.map((spec) => new Map(leaves(spec)));
  const paths = [...new Set(flat.flatMap((one) => [...one.keys()]))].sort();
  return paths.flatMap((path) => {
    const values = flat.map((one) => one.get(path) ?? null);
    const isSame = values.every((value) => canonicalJson(value) === canonicalJson(values[0]));
    return isSame ? [] : [{ path, values }];
  });
}

/** Names what is the same in runs that differ only by their seed, their name and their number of steps done. */
export function seedlessKey({ seed: _seed, name: _name, ...rest }: Spec): string {
  return canonicalJson(rest);
}

/**
 * Sums up a metric of a run; what is not finite is left out.
 *
 * @param k values that `tailMean` is over
 */
export function summarizeMetric(
  steps: ArrayLike<number>,
  values: ArrayLike<number>,
  k: number,
): Omit<RunMetric, 'runId'> {
  const points = Array.from(steps, (step, index) => ({ step, value: values[index] ?? Number.NaN }))
    .filter(({ value }) => Number.isFinite(value))
    .sort((a, b) => a.step - b.step);
  const last = points.at(-1);
  const by = (better: (a: number, b: number) => boolean): (typeof points)[number] | undefined =>
    points.reduce<(typeof points)[number] | undefined>(
      (best, point) => (best === undefined || better(point.value, best.value) ? point : best),
      undefined,
    );
  const min = by((a, b) => a < b);
  const max = by((a, b) => a > b);
  const tail = points.slice(-k);
  return {
    count: points.length,
    last: last?.value ?? null,
    lastStep: last?.step ?? null,
    min: min?.value ?? null,
    minStep: min?.step ?? null,
    max: max?.value ?? null,
    maxStep: max?.step ?? null,
    tailMean: tail.length === 0 ? null : mean(tail.map(({ value }) => value)),
  };
}

/** Sums up a number over runs; null for none. */
export function spreadOf(given: readonly (number | null)[]): MetricSpread | null {
  const values = given.filter((value) => value !== null).sort((a, b) => a - b);
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return null;
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  return {
    count: values.length,
    mean: center,
    min: first,
    max: last,
    std: values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1)),
    interquartileMean: interquartileMean(values),
    interquartileRange: quantile(values, 0.75) - quantile(values, 0.25),
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param sorted ascending, at least one */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return low + (high - low) * (place - Math.floor(place));
}

/** Leaves out a quarter of the values at each end; a value that is cut counts by its share. */
function interquartileMean(sorted: readonly number[]): number {
  const [low, high] = [sorted.length / 4, (3 * sorted.length) / 4];
  let sum = 0;
  sorted.forEach((value, index) => {
    sum += value * Math.max(0, Math.min(index + 1, high) - Math.max(index, low));
  });
  return sum / (high - low);
}
