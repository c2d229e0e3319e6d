/**
 * @file Curves of groups of runs: at each place of a common axis the mean over the runs of a group, its 95 % interval, and
 * the lowest and highest run. From whole series: nothing is sampled, so a group's curve does not depend on which other runs
 * are shown. Pure.
 */
import { studentInterval } from '@espalier/rollout/estimates';
import type { GroupCurve } from './comparison.js';

/** A series of a run along an axis, ascending; NaN where there is no number. */
export interface AxisSeries {
  readonly x: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

/** Values of runs at common places; NaN where a run has none there. */
export interface Aligned {
  readonly x: readonly number[];
  /** a run each */
  readonly runs: readonly (readonly number[])[];
}

/**
 * Aligns series by step. Where there are more steps than `points`, consecutive ones form bins of equally many steps: a run
 * counts with the mean of its values in a bin, which stands at the bin's last step.
 */
export function alignSteps(series: readonly AxisSeries[], points: number): Aligned {
  const steps = [...new Set(series.flatMap(({ x }) => Array.from(x)))].sort((a, b) => a - b);
  const size = Math.max(1, Math.ceil(steps.length / points));
  const binOf = new Map(steps.map((step, index) => [step, Math.floor(index / size)]));
  const count = Math.ceil(steps.length / size);
  const x = Array.from(
    { length: count },
    (_, bin) => steps[Math.min(steps.length, (bin + 1) * size) - 1] ?? 0,
  );
  const runs = series.map(({ x: own, values }) => {
    const [sums, numbers] = [new Float64Array(count), new Float64Array(count)];
    for (let index = 0; index < own.length; index++) {
      const value = values[index] ?? Number.NaN;
      if (!Number.isFinite(value)) continue;
      const bin = binOf.get(own[index] ?? 0) ?? 0;
      sums[bin] = (sums[bin] ?? 0) + value;
      numbers[bin] = (numbers[bin] ?? 0) + 1;
    }
    return Array.from(sums, (sum, bin) => (numbers[bin] === 0 ? Number.NaN : sum / (numbers[bin] ?? 1)));
  });
  return { x, runs };
}

/**
 * Aligns series along an axis on which runs share no places, such as time: `points` places at equal distances, at each of
 * which a run has the value between its neighbours, linearly. Beyond its ends a run has none.
 */
export function alignByInterpolation(series: readonly AxisSeries[], points: number): Aligned {
  const finite = series.map(withoutGaps);
  const ends = finite.flatMap(({ x }) => (x.length === 0 ? [] : [x[0] ?? 0, x[x.length - 1] ?? 0]));
  if (ends.length === 0) return { x: [], runs: series.map(() => []) };
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const count = low === high ? 1 : points;
  const x = Array.from({ length: count }, (_, index) =>
    index === count - 1 ? high : low + ((high - low) * index) / (count - 1),
  );
  return { x, runs: finite.map((one) => interpolate(one, x)) };
}

function withoutGaps({ x, values }: AxisSeries): { x: number[]; values: number[] } {
  const found = { x: [] as number[], values: [] as number[] };
  for (let index = 0; index < x.length; index++) {
    const [at, value] = [x[index] ?? Number.NaN, values[index] ?? Number.NaN];
    if (!Number.isFinite(at) || !Number.isFinite(value) || at < (found.x.at(-1) ?? -Infinity)) continue;
    found.x.push(at);
    found.values.push(value);
  }
  return found;
}

function interpolate({ x, values }: { x: number[]; values: number[] }, places: readonly number[]): number[] {
  let next = 0;
  return places.map((place) => {
    while (next < x.length && (x[next] ?? 0) < place) next += 1;
    const [above, value] = [x[next], values[next]];
    if (above === undefined || value === undefined) return Number.NaN;
    if (above === place) return value;
    const [below, before] = [x[next - 1], values[next - 1]];
    if (below === undefined || before === undefined) return Number.NaN;
    return before + ((value - before) * (place - below)) / (above - below);
  });
}

/** The curve of some runs of an alignment. */
export function curveOf(runs: readonly (readonly number[])[], length: number): GroupCurve {
  const curve: GroupCurve = { counts: [], mean: [], low: [], high: [], min: [], max: [] };
  for (let at = 0; at < length; at++) {
    const values = runs.flatMap((run) => (Number.isFinite(run[at]) ? [run[at] ?? 0] : []));
    const { mean, low, high } = studentInterval(values);
    curve.counts.push(values.length);
    curve.mean.push(orNull(mean));
    curve.low.push(orNull(low));
    curve.high.push(orNull(high));
    curve.min.push(values.length === 0 ? null : Math.min(...values));
    curve.max.push(values.length === 0 ? null : Math.max(...values));
  }
  return curve;
}

const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
