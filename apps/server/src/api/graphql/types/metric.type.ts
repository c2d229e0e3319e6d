import { Float, ID, Int } from '@nestjs/graphql';
import { NumbersScalar } from '../numbers.scalar.js';
import { MetricBuckets, MetricSeries, MetricName } from '../../../core/history/metrics/metric.types.js';
import { describeType } from './describe-type.js';

describeType(
  MetricBuckets,
  {
    description: 'Consecutive values of a series, summed up; entry i of every column is bucket i.',
  },
  {
    firstSteps: [() => NumbersScalar, { description: 'First step of each.' }],
    lastSteps: [() => NumbersScalar, { description: 'Last step of each.' }],
    counts: [() => NumbersScalar, { description: 'Values in each, those that are no number included.' }],
    min: [() => NumbersScalar, { description: 'Least value of each; null where none is a number.' }],
    max: [() => NumbersScalar, { description: 'Greatest value of each.' }],
    mean: [() => NumbersScalar, { description: 'Mean of each.' }],
  },
);

describeType(
  MetricSeries,
  {
    description:
      'One metric of one run by step. What an earlier attempt did and a later one did again is left out. Draw values over steps.',
  },
  {
    runId: [() => ID, { description: 'The run.' }],
    name: [() => String, { description: 'Name of the metric.' }],
    count: [() => Int, { description: 'Values there are in the range.' }],
    decimated: [
      () => Boolean,
      {
        description: 'There are more values than points were asked for, so that only extremes are given.',
      },
    ],
    steps: [() => NumbersScalar, { description: 'Step of each point, ascending.' }],
    values: [
      () => NumbersScalar,
      {
        description:
          'Value of each point; of a decimated series the least and the greatest value of each bucket, each at its own step.',
      },
    ],
    buckets: [
      () => MetricBuckets,
      {
        nullable: true,
        description: 'The buckets of a decimated series; null otherwise.',
      },
    ],
  },
);

describeType(
  MetricName,
  { description: 'A metric that a run has.' },
  {
    name: [() => String, { description: 'Its name, `area/name`.' }],
    unit: [
      () => String,
      {
        nullable: true,
        description: 'Its unit, where known; docs/reference/metrics.md has them all.',
      },
    ],
    formula: [() => String, { nullable: true, description: 'How it is computed, where known.' }],
    latest: [() => Float, { nullable: true, description: 'Newest value; null when it is no number.' }],
    count: [() => Int, { description: 'Values stored, those of superseded attempts included.' }],
  },
);
