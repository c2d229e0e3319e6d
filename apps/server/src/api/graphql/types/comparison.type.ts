import { Float, ID, Int } from '@nestjs/graphql';
import { Run } from '../../../core/database/entities/run.js';
import * as core from '../../../core/runs/compare/comparison.js';
import { EnergySourceEnum, RunPhaseEnum, TestMethodEnum } from '../enums.js';
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

const perPlace = ['mean', 'low', 'high', 'min', 'max'] as const;
const GroupCurveType = typeOfSchema(
  'GroupCurve',
  'A metric of a group along an axis; every list has an entry for each place of `x`.',
  core.groupCurve,
  { counts: Int, mean: Float, low: Float, high: Float, min: Float, max: Float },
  Object.fromEntries(perPlace.map((name) => [name, { nullable: 'items' as const }])),
);

const GroupMetricType = typeOfSchema('GroupMetric', 'A metric over the runs of a group.', core.groupMetric, {
  group: Int,
  last: MetricSpreadType,
  tailMean: MetricSpreadType,
  max: MetricSpreadType,
  min: MetricSpreadType,
  curve: GroupCurveType,
});

const MetricComparisonType = typeOfSchema(
  'MetricComparison',
  'One metric, compared.',
  core.metricComparison,
  { runs: RunMetricType, groups: GroupMetricType },
);

const SeedGroupType = typeOfSchema(
  'SeedGroup',
  'Runs that share some options.',
  core.seedGroup,
  { runIds: ID, values: JsonScalar },
  { values: { nullable: 'items' } },
);

const PhaseCostType = typeOfSchema(
  'PhaseCost',
  'What a phase of all iterations of a run has cost.',
  core.phaseCost,
  { phase: RunPhaseEnum },
);

const RunLedgerType = typeOfSchema(
  'RunLedger',
  'What a run has cost, and what its success has cost, from its metrics; steps that a later attempt did again count once.',
  core.runLedger,
  { runId: ID, steps: Int, energySource: EnergySourceEnum, phases: PhaseCostType },
);

export const RunComparisonType = typeOfSchema('RunComparison', 'Runs side by side.', core.runComparison, {
  runs: Run,
  differences: SpecDifferenceType,
  groups: SeedGroupType,
  metrics: MetricComparisonType,
  ledgers: RunLedgerType,
});

const GroupTestType = typeOfSchema(
  'GroupTest',
  'Whether two groups of runs differ in success, by the states of a validation that all of them have.',
  core.groupTest,
  { method: TestMethodEnum },
);

export const GroupTestsType = typeOfSchema(
  'GroupTests',
  'Tests between two groups of runs.',
  core.groupTests,
  {
    tests: GroupTestType,
  },
);
