/**
 * @file Decimates a series without losing an extremum: consecutive values form buckets, and each bucket is drawn by its
 * least and its greatest value, each at its own step.
 */

/** Some consecutive values of a series. */
export interface Bucket {
  readonly firstStep: number;
  readonly lastStep: number;
  /** values, NaN included */
  readonly count: number;
  /** values other than NaN */
  readonly numbers: number;
  readonly min: number | null;
  readonly minStep: number;
  readonly max: number | null;
  readonly maxStep: number;
  readonly sum: number;
}

/** A series to draw; null where there is no number. */
export interface Line {
  readonly steps: number[];
  readonly values: (number | null)[];
}

/** Forms a bucket of every `size` values; NaN where there is no number. */
export function toBuckets(steps: ArrayLike<number>, values: ArrayLike<number>, size: number): Bucket[] {
  const buckets: Bucket[] = [];
  for (let from = 0; from < steps.length; from += size)
    buckets.push(toBucket(steps, values, from, Math.min(steps.length, from + size)));
  return buckets;
}

function toBucket(steps: ArrayLike<number>, values: ArrayLike<number>, from: number, to: number): Bucket {
  const firstStep = steps[from] as number;
  let [min, max, minStep, maxStep] = [Number.NaN, Number.NaN, firstStep, firstStep];
  let [numbers, sum] = [0, 0];
  for (let index = from; index < to; index += 1) {
    const value = values[index] as number;
    if (Number.isNaN(value)) continue;
    numbers += 1;
    sum += value;
    if (!(value >= min)) [min, minStep] = [value, steps[index] as number];
    if (!(value <= max)) [max, maxStep] = [value, steps[index] as number];
  }
  const [lastStep, count] = [steps[to - 1] as number, to - from];
  if (numbers === 0)
    return { firstStep, lastStep, count, numbers, min: null, minStep, max: null, maxStep, sum };
  return { firstStep, lastStep, count, numbers, min, minStep, max, maxStep, sum };
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
  const { firstStep } = first;
  let { lastStep, count, numbers, min, minStep, max, maxStep, sum } = first;
  for (let index = from + 1; index < to; index += 1) {
    const bucket = buckets[index] as Bucket;
    lastStep = bucket.lastStep;
    count += bucket.count;
    numbers += bucket.numbers;
    sum += bucket.sum;
    if (bucket.min !== null && (min === null || bucket.min < min))
      [min, minStep] = [bucket.min, bucket.minStep];
    if (bucket.max !== null && (max === null || bucket.max > max))
      [max, maxStep] = [bucket.max, bucket.maxStep];
  }
  return { firstStep, lastStep, count, numbers, min, minStep, max, maxStep, sum };
}

/** Draws each bucket by two points, or by one if its extrema are at one step. */
export function toLine(buckets: readonly Bucket[]): Line {
  const line: Line = { steps: [], values: [] };
  const add = (step: number, value: number | null): void => {
    line.steps.push(step);
    line.values.push(value);
  };
  for (const { min, minStep, max, maxStep } of buckets) {
    if (minStep === maxStep) add(minStep, min);
    else if (minStep < maxStep) {
      add(minStep, min);
      add(maxStep, max);
    } else {
      add(maxStep, max);
      add(minStep, min);
    }
  }
  return line;
}
