/**
 * @file The interval of a mean, by resampling: Efron 1979, "Bootstrap methods: another look at the jackknife", the
 * percentile method. What is resampled must be independent: of several episodes from one initial state, give their mean.
 */
import { createStream } from '@espalier/random';

export interface Interval {
  readonly mean: number;
  /** of the middle 95 % of the means; NaN without values */
  readonly low: number;
  readonly high: number;
}

const resamples = 10_000;

/** Estimates the mean with its 95 % interval; the same values and seed give the same interval. */
export function bootstrapMean(values: readonly number[], seed = 0): Interval {
  const n = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  if (n === 0) return { mean: Number.NaN, low: Number.NaN, high: Number.NaN };
  const stream = createStream(seed);
  const means = new Float64Array(resamples);
  for (let draw = 0; draw < resamples; draw++) {
    let sum = 0;
    for (let i = 0; i < n; i++) sum += values[stream.int(n)] as number;
    means[draw] = sum / n;
  }
  means.sort();
  return { mean, low: quantile(means, 0.025), high: quantile(means, 0.975) };
}

/** The quantile of sorted values, between two neighbours linearly. */
export function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)] as number;
  const above = sorted[Math.ceil(place)] as number;
  return below + (above - below) * (place - Math.floor(place));
}
