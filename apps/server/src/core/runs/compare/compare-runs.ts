/** @file Differences of specs, and statistics of metrics over steps and over seeds. */
import { canonicalJson, leaves } from '@espalier/config/plain';
import { studentInterval } from '@espalier/rollout/estimates';
import type { MetricSpread, RunMetric, SpecDifference } from './comparison.js';

type Spec = Readonly<Record<string, unknown>>;

/** Finds the options that differ; null where a run has none. */
export function diffSpecs(specs: readonly Spec[]): SpecDifference[] {
  const flat = specs.map((spec) => new Map(leaves(spec)));
  const paths = [...new Set(flat.flatMap((one) => [...one.keys()]))].sort();
  return paths.flatMap((path) => {
    const values = flat.map((one) => one.get(path) ?? null);
    const isSame = values.every((value) => canonicalJson(value) === canonicalJson(values[0]));
    return isSame ? [] : [{ path, values }];
  });
}

/** A key that is equal for specs that differ only by seed and name. */
export function seedlessKey({ seed: _seed, name: _name, ...rest }: Spec): string {
  return canonicalJson(rest);
}

/** The values of some options; null where a spec has none. */
export function valuesOf(spec: Spec, paths: readonly string[]): unknown[] {
  const flat = new Map(leaves(spec));
  return paths.map((path) => flat.get(path) ?? null);
}

/**
 * Summarizes a metric of a run; values that are not finite are left out.
 *
 * @param k number of values that `tailMean` covers
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

/** Computes the spread of a number over runs; null without values. */
export function spreadOf(numbers: readonly (number | null)[]): MetricSpread | null {
  const values = numbers.filter((value) => value !== null).sort((a, b) => a - b);
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined) return null;
  const center = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - center) ** 2, 0);
  const { low, high } = studentInterval(values);
  return {
    count: values.length,
    mean: center,
    min: first,
    max: last,
    low: Number.isFinite(low) ? low : null,
    high: Number.isFinite(high) ? high : null,
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
  const position = (sorted.length - 1) * share;
  const low = sorted[Math.floor(position)] ?? 0;
  const high = sorted[Math.ceil(position)] ?? 0;
  return low + (high - low) * (position - Math.floor(position));
}

/** Omits a quarter of the values at each end; a value at the boundary counts by its share. */
function interquartileMean(sorted: readonly number[]): number {
  const low = sorted.length / 4;
  const high = (3 * sorted.length) / 4;
  let sum = 0;
  sorted.forEach((value, index) => {
    sum += value * Math.max(0, Math.min(index + 1, high) - Math.max(index, low));
  });
  return sum / (high - low);
}
