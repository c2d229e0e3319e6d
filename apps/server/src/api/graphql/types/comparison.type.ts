import { Float, ID, Int } from '@nestjs/graphql';
import { JsonScalar, SafeIntScalar } from '../scalars.js';
import { Run } from '../../../core/database/entities/run.js';
import {
  SpecDifference,
  MetricSpread,
  RunMetric,
  GroupMetric,
  MetricComparison,
  SeedGroup,
  RunComparison,
} from '../../../core/runs/comparison.type.js';
import { describeType } from './describe-type.js';

describeType(
  SpecDifference,
  { description: 'An option that is not the same in all compared runs.' },
  {
    path: [() => String, { description: 'Dotted path of the option.' }],
    values: [
      () => [JsonScalar],
      {
        nullable: 'items',
        description: 'Its value in each run, in the order of the runs; null where a run has none.',
      },
    ],
  },
);

describeType(
  MetricSpread,
  {
    description: 'Spread of one number over runs that differ only by their seed.',
  },
  {
    count: [() => Int, { description: 'Runs that have the number.' }],
    mean: [() => Float, { description: 'Mean.' }],
    std: [
      () => Float,
      {
        description: 'Standard deviation of a sample (divided by count − 1); 0 for one run.',
      },
    ],
    min: [() => Float, { description: 'Smallest.' }],
    max: [() => Float, { description: 'Largest.' }],
    interquartileMean: [() => Float, { description: 'Mean of the middle half.' }],
    interquartileRange: [() => Float, { description: 'Third minus first quartile.' }],
  },
);

describeType(
  RunMetric,
  { description: 'A metric of one run; steps that a later attempt did again count once.' },
  {
    runId: [() => ID, { description: 'The run.' }],
    count: [() => Int, { description: 'Values that are numbers.' }],
    last: [() => Float, { nullable: true, description: 'Newest value.' }],
    lastStep: [() => Int, { nullable: true, description: 'Step of it.' }],
    min: [() => Float, { nullable: true, description: 'Smallest value.' }],
    minStep: [() => Int, { nullable: true, description: 'First step with it.' }],
    max: [() => Float, { nullable: true, description: 'Largest value.' }],
    maxStep: [() => Int, { nullable: true, description: 'First step with it.' }],
    tailMean: [() => Float, { nullable: true, description: 'Mean of the last k values.' }],
  },
);

describeType(
  GroupMetric,
  { description: 'A metric over the runs of a group.' },
  {
    group: [() => Int, { description: 'Index of the group in `groups`.' }],
    last: [() => MetricSpread, { nullable: true, description: 'Of the newest values.' }],
    tailMean: [() => MetricSpread, { nullable: true, description: 'Of the means of the last k values.' }],
    max: [() => MetricSpread, { nullable: true, description: 'Of the largest values.' }],
    min: [() => MetricSpread, { nullable: true, description: 'Of the smallest values.' }],
  },
);

describeType(
  MetricComparison,
  { description: 'One metric, compared.' },
  {
    name: [() => String, { description: 'Its name.' }],
    runs: [() => [RunMetric], { description: 'In each run that has it.' }],
    groups: [() => [GroupMetric], { description: 'Over the runs of each group.' }],
  },
);

describeType(
  SeedGroup,
  { description: 'Runs whose specs differ only by seed and name.' },
  {
    runIds: [() => [ID], { description: 'The runs.' }],
    seeds: [() => [SafeIntScalar], { description: 'Their seeds.' }],
  },
);

describeType(
  RunComparison,
  { description: 'Runs side by side.' },
  {
    runs: [() => [Run], { description: 'The runs, in the order of the request.' }],
    differences: [() => [SpecDifference], { description: 'Only what differs.' }],
    groups: [() => [SeedGroup], { description: 'Which runs differ only by their seed.' }],
    metrics: [() => [MetricComparison], { description: 'The metrics, by name.' }],
  },
);
