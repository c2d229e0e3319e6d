/** @file From runs to the lines of a chart: mean and range over seeds, gaps, scales with round ticks. */
import type { Point } from '../report-run.js';

/** One run, or several that differ in their seed: a line for their mean, a band from lowest to highest. */
export interface Curve {
  readonly label: string;
  readonly runs: readonly (readonly Point[])[];
  /** ascending steps at which all of the runs should have a value; absent: they have one at some steps only, such as validation */
  readonly expected?: readonly number[];
}

export interface Band {
  readonly step: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** Mean and range at each step of the first run that all runs have. */
export function bandsOf([first = [], ...others]: Curve['runs']): Band[] {
  const maps = others.map((run) => new Map(run));
  return first.flatMap(([step, value]) => {
    const rest = maps.map((run) => run.get(step));
    const values = [value, ...rest.filter((one) => one !== undefined)];
    if (values.length <= maps.length) return [];
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    return [{ step, mean, low: Math.min(...values), high: Math.max(...values) }];
  });
}

/** Splits where a value is not finite, and where there is none at an expected step. */
export function segmentsOf(bands: readonly Band[], expected: Curve['expected'] = []): Band[][] {
  const known = new Set(bands.map(({ step }) => step));
  const missing = expected.filter((step) => !known.has(step));
  const parts: Band[][] = [[]];
  let next = 0;
  for (const band of bands) {
    const before = next;
    while ((missing[next] ?? Infinity) < band.step) next += 1;
    if (next > before || !Number.isFinite(band.mean)) parts.push([]);
    if (Number.isFinite(band.mean)) parts.at(-1)?.push(band);
  }
  return parts.filter((part) => part.length > 0);
}

/** The range of an axis: somewhat wider than the values; a share stays a share. */
export function rangeOf(values: readonly number[]): [number, number] {
  if (values.length === 0) return [0, 1];
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const spare = high === low ? Math.max(0.5, Math.abs(high) / 10) : (high - low) * 0.04;
  const isShare = low >= 0 && high <= 1;
  return isShare ? [Math.max(0, low - spare), Math.min(1, high + spare)] : [low - spare, high + spare];
}

export interface Scale {
  at(value: number): string;
  write(value: number): string;
  readonly ticks: readonly number[];
}

/** A linear scale with up to seven round ticks, at least so far apart. */
export function createScale(low: number, high: number, from: number, to: number, apart = 0): Scale {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const tick = Math.max(apart, power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10));
  const first = Math.ceil(low / tick - 1e-9);
  const count = Math.floor(high / tick + 1e-9) - first + 1;
  const digits = Math.max(0, -Math.floor(Math.log10(tick)));
  const ends = Math.max(Math.abs(low), Math.abs(high));
  return {
    at: (value) => (from + ((value - low) / (high - low)) * (to - from)).toFixed(1),
    write: (value) => (ends >= 1e6 || tick < 1e-4 ? value.toExponential(1) : value.toFixed(digits)),
    ticks: Array.from({ length: count }, (_, index) => (first + index) * tick),
  };
}
