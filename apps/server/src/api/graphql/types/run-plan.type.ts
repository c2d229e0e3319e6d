import { Field, type FieldMiddleware, ID, Int, ObjectType } from '@nestjs/graphql';
import * as core from '../../../core/runs/create/run-plan.js';
import { ValueSourceEnum } from '../enums.js';
import { JsonScalar } from '../scalars.js';
import { SpecDifferenceType } from './comparison.type.js';
import { typeOfSchema } from './from-schema.js';
import { JobNeedsType, PluginVersionType } from './wire.type.js';

const InertOptionType = typeOfSchema(
  'InertOption',
  'An option that changes nothing in this run.',
  core.inertOption,
);

@ObjectType({ description: 'Where the value of an option comes from.' })
class OptionSource {
  @Field(() => String, { description: 'Dotted path of the option.' })
  path!: string;

  @Field(() => ValueSourceEnum, { description: 'Where its value comes from.' })
  source!: core.PlannedSource;
}

/** Plans store them by path. */
const listSources: FieldMiddleware = async (_context, next) =>
  Object.entries((await next()) as Record<string, core.PlannedSource>).map(
    ([path, source]): OptionSource => ({
      path,
      source,
    }),
  );

const DerivedNumbersType = typeOfSchema(
  'DerivedNumbers',
  'Numbers that follow from the options.',
  core.derivedNumbers,
  {
    schedule: typeOfSchema(
      'ScheduleNumbers',
      'What follows from replay, tasks and sampling ahead.',
      core.scheduleNumbers,
    ),
    tags: typeOfSchema('TagNumbers', 'The share of one environment of a run in several.', core.tagNumbers),
  },
);

const GraphSizeType = typeOfSchema('GraphSize', 'A graph of a model and its size.', core.graphSize, {
  nodes: Int,
});

const ExpectedIterationType = typeOfSchema(
  'ExpectedIteration',
  'An iteration whose episodes are as long as those of the oracle.',
  core.expectedIteration,
);

const RunEstimateType = typeOfSchema(
  'RunEstimate',
  'What a run would cost on the server’s machine.',
  core.runEstimate,
  { graphs: GraphSizeType, expected: ExpectedIterationType, threads: Int },
);

export const RunPlanType = typeOfSchema(
  'RunPlan',
  'A resolved spec: the run as it would be created.',
  core.runPlan,
  {
    spec: JsonScalar,
    sources: [OptionSource],
    derived: DerivedNumbersType,
    inert: InertOptionType,
    steps: Int,
    needs: JobNeedsType,
    plugins: PluginVersionType,
    estimate: RunEstimateType,
    parentRunId: ID,
    parentStep: Int,
    differences: SpecDifferenceType,
  },
  { sources: { middleware: [listSources] } },
);
