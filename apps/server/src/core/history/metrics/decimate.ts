/**
 * @file Decimates a series without losing an extremum: consecutive values form buckets, and each bucket is drawn by its
 * least and its greatest value, each at its own step and time.
 */

/** Some consecutive values of a series; times in ms since the epoch. */
export interface Bucket {
  readonly firstStep: number;
  readonly lastStep: number;
  readonly firstTime: number;
  readonly lastTime: number;
  /** values, NaN included */
  readonly count: number;
  /** values other than NaN */
  readonly numbers: number;
  readonly min: number | null;
  readonly minStep: number;
  readonly minTime: number;
  readonly max: number | null;
  readonly maxStep: number;
  readonly maxTime: number;
  readonly sum: number;
}

/** A series in columns; NaN where there is no number. */
export interface Columns {
  readonly steps: ArrayLike<number>;
  readonly times: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** A series to draw; null where there is no number. */
export interface Line {
  readonly steps: number[];
  readonly times: number[];
  readonly values: (number | null)[];
}

/** Forms a bucket of every `size` values. */
export function toBuckets(series: Columns, size: number): Bucket[] {
  const { length } = series.steps;
  const buckets: Bucket[] = [];
  for (let from = 0; from < length; from += size)
    buckets.push(toBucket(series, from, Math.min(length, from + size)));
  return buckets;
}

function toBucket({ steps, times, values }: Columns, from: number, to: number): Bucket {
  let min = Number.NaN;
  let max = Number.NaN;
  let minAt = from;
  let maxAt = from;
  let numbers = 0;
  let sum = 0;
  for (let index = from; index < to; index += 1) {
    const value = values[index] as number;
    if (Number.isNaN(value)) continue;
    numbers += 1;
    sum += value;
    if (!(value >= min)) {
      min = value;
      minAt = index;
    }
    if (!(value <= max)) {
      max = value;
      maxAt = index;
    }
  }
  return {
    firstStep: steps[from] as number,
    lastStep: steps[to - 1] as number,
    firstTime: times[from] as number,
    lastTime: times[to - 1] as number,
    count: to - from,
    numbers,
    min: numbers === 0 ? null : min,
    minStep: steps[minAt] as number,
    minTime: times[minAt] as number,
    max: numbers === 0 ? null : max,
    maxStep: steps[maxAt] as number,
    maxTime: times[maxAt] as number,
    sum,
  };
}

/** Merges every `size` buckets into one. */
export function mergeBuckets(buckets: readonly Bucket[], size: number): Bucket[] {
  if (size === 1) return [...buckets];
  const merged: Bucket[] = [];
  for (let from = 0; from < buckets.length; from += size)
    merged.push(mergeRange(buckets, from, Math.min(buckets.length, from + size)));
  return merged;
}

/** Thousands are merged for one chart, so it allocates nothing else. */
function mergeRange(buckets: readonly Bucket[], from: number, to: number): Bucket {
  const first = buckets[from] as Bucket;
  const last = buckets[to - 1] as Bucket;
  let count = 0;
  let numbers = 0;
  let sum = 0;
  let least = first;
  let greatest = first;
  for (let index = from; index < to; index += 1) {
    const bucket = buckets[index] as Bucket;
    count += bucket.count;
    numbers += bucket.numbers;
    sum += bucket.sum;
    if (bucket.min !== null && (least.min === null || bucket.min < least.min)) least = bucket;
    if (bucket.max !== null && (greatest.max === null || bucket.max > greatest.max)) greatest = bucket;
  }
  return {
    firstStep: first.firstStep,
    lastStep: last.lastStep,
    firstTime: first.firstTime,
    lastTime: last.lastTime,
    count,
    numbers,
    min: least.min,
    minStep: least.minStep,
    minTime: least.minTime,
    max: greatest.max,
    maxStep: greatest.maxStep,
    maxTime: greatest.maxTime,
    sum,
  };
}

/** Draws each bucket by two points, or by one if its extrema are one point. */
export function toLine(buckets: readonly Bucket[]): Line {
  const line: Line = { steps: [], times: [], values: [] };
  const add = (step: number, time: number, value: number | null): void => {
    line.steps.push(step);
    line.times.push(time);
    line.values.push(value);
  };
  for (const { min, minStep, minTime, max, maxStep, maxTime } of buckets) {
    const isFalling = maxStep < minStep;
    if (isFalling) add(maxStep, maxTime, max);
    add(minStep, minTime, min);
    if (minStep < maxStep) add(maxStep, maxTime, max);
  }
  return line;
}
