/** @file The result of comparing runs. */
import type { Run } from '../database/entities/run.js';

/** An option that is not the same in all runs; the values are in the order of the runs, null where a run has none. */
export class SpecDifference {
  path!: string;
  values!: readonly unknown[];
}

/** Spread of one number over runs that differ only by their seed. */
export class MetricSpread {
  count!: number;
  mean!: number;
  /** of a sample, with count − 1; 0 for one run */
  std!: number;
  min!: number;
  max!: number;
  /** mean of the values between the first and the third quartile, quarters of values weighted */
  interquartileMean!: number;
  /** third minus first quartile, linearly interpolated */
  interquartileRange!: number;
}

/** One metric of one run. */
export class RunMetric {
  runId!: string;
  /** finite values */
  count!: number;
  last!: number | null;
  lastStep!: number | null;
  min!: number | null;
  minStep!: number | null;
  max!: number | null;
  maxStep!: number | null;
  /** mean of the last k values */
  tailMean!: number | null;
}

/** One metric over the runs of a seed group. */
export class GroupMetric {
  /** index of the seed group */
  group!: number;
  last!: MetricSpread | null;
  tailMean!: MetricSpread | null;
  max!: MetricSpread | null;
  min!: MetricSpread | null;
}

export class MetricComparison {
  name!: string;
  runs!: RunMetric[];
  groups!: GroupMetric[];
}

/** Runs that differ only by their seed. */
export class SeedGroup {
  runIds!: string[];
  seeds!: number[];
}

export class RunComparison {
  runs!: Run[];
  differences!: SpecDifference[];
  groups!: SeedGroup[];
  metrics!: MetricComparison[];
}
