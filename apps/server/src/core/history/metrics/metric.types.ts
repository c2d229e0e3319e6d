export class MetricBuckets {
  firstSteps!: readonly number[];

  lastSteps!: readonly number[];

  firstTimes!: readonly number[];

  lastTimes!: readonly number[];

  counts!: readonly number[];

  min!: readonly (number | null)[];

  max!: readonly (number | null)[];

  mean!: readonly (number | null)[];
}

export class MetricSeries {
  runId!: string;

  name!: string;

  count!: number;

  decimated!: boolean;

  steps!: readonly number[];

  times!: readonly number[];

  values!: readonly (number | null)[];

  buckets!: MetricBuckets | null;
}

export class MetricName {
  name!: string;

  unit!: string | null;

  formula!: string | null;

  latest!: number | null;

  count!: number;
}
