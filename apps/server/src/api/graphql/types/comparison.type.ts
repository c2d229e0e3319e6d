import { ID, Int } from '@nestjs/graphql';
import { Run } from '../../../core/database/entities/run.js';
import * as core from '../../../core/runs/compare/comparison.js';
import { JsonScalar } from '../scalars.js';
import { typeOfSchema } from './from-schema.js';

export const SpecDifferenceType = typeOfSchema(
  'SpecDifference',
  'An option that is not the same in all compared runs.',
  core.specDifference,
  { values: JsonScalar },
  { values: { nullable: 'items' } },
);

const MetricSpreadType = typeOfSchema(
  'MetricSpread',
  'Spread of one number over runs that differ only by their seed.',
  core.metricSpread,
  { count: Int },
);

const RunMetricType = typeOfSchema(
  'RunMetric',
  'A metric of one run; steps that a later attempt did again count once.',
  core.runMetric,
  { runId: ID, count: Int, lastStep: Int, minStep: Int, maxStep: Int },
);

const GroupMetricType = typeOfSchema('GroupMetric', 'A metric over the runs of a group.', core.groupMetric, {
  group: Int,
  last: MetricSpreadType,
  tailMean: MetricSpreadType,
  max: MetricSpreadType,
  min: MetricSpreadType,
});

const MetricComparisonType = typeOfSchema(
  'MetricComparison',
  'One metric, compared.',
  core.metricComparison,
  { runs: RunMetricType, groups: GroupMetricType },
);

const SeedGroupType = typeOfSchema(
  'SeedGroup',
  'Runs whose specs differ only by seed and name.',
  core.seedGroup,
  { runIds: ID },
);

export const RunComparisonType = typeOfSchema('RunComparison', 'Runs side by side.', core.runComparison, {
  runs: Run,
  differences: SpecDifferenceType,
  groups: SeedGroupType,
  metrics: MetricComparisonType,
});
