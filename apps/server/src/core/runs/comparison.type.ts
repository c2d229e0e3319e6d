import type { MetricSummary, SpecDifference, Spread } from './compare-runs.js';
import { type Run } from '../database/entities/run.js';

export class SpecDifferenceType implements SpecDifference {
  path!: string;

  values!: readonly unknown[];
}

export class SpreadType implements Spread {
  count!: number;

  mean!: number;

  std!: number;

  min!: number;

  max!: number;

  interquartileMean!: number;

  interquartileRange!: number;
}

export class RunMetric implements MetricSummary {
  runId!: string;

  count!: number;

  last!: number | null;

  lastStep!: number | null;

  min!: number | null;

  minStep!: number | null;

  max!: number | null;

  maxStep!: number | null;

  tailMean!: number | null;
}

export class GroupMetric {
  group!: number;

  last!: Spread | null;

  tailMean!: Spread | null;

  max!: Spread | null;

  min!: Spread | null;
}

export class MetricComparison {
  name!: string;

  runs!: RunMetric[];

  groups!: GroupMetric[];
}

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
