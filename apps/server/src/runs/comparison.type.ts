import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { JsonScalar } from '../graphql/scalars.js';
import type { MetricSummary, SpecDifference, Spread } from './compare-runs.js';
import { Run } from './run.entity.js';

@ObjectType('SpecDifference', { description: 'An option that is not the same in all compared runs.' })
export class SpecDifferenceType implements SpecDifference {
  @Field(() => String, { description: 'Dotted path of the option.' })
  path!: string;

  @Field(() => [JsonScalar], {
    nullable: 'items',
    description: 'Its value in each run, in the order of the runs; null where a run has none.',
  })
  values!: readonly unknown[];
}

@ObjectType('MetricSpread', { description: 'Spread of one number over runs that differ only by their seed.' })
export class SpreadType implements Spread {
  @Field(() => Int, { description: 'Runs that have the number.' })
  count!: number;

  @Field(() => Float, { description: 'Mean.' })
  mean!: number;

  @Field(() => Float, {
    description: 'Standard deviation of a sample (divided by count − 1); 0 for one run.',
  })
  std!: number;

  @Field(() => Float, { description: 'Smallest.' })
  min!: number;

  @Field(() => Float, { description: 'Largest.' })
  max!: number;

  @Field(() => Float, { description: 'Mean of the middle half.' })
  interquartileMean!: number;

  @Field(() => Float, { description: 'Third minus first quartile.' })
  interquartileRange!: number;
}

@ObjectType({ description: 'A metric of one run; steps that a later attempt did again count once.' })
export class RunMetric implements MetricSummary {
  @Field(() => ID, { description: 'The run.' })
  runId!: string;

  @Field(() => Int, { description: 'Values that are numbers.' })
  count!: number;

  @Field(() => Float, { nullable: true, description: 'Newest value.' })
  last!: number | null;

  @Field(() => Int, { nullable: true, description: 'Step of it.' })
  lastStep!: number | null;

  @Field(() => Float, { nullable: true, description: 'Smallest value.' })
  min!: number | null;

  @Field(() => Int, { nullable: true, description: 'First step with it.' })
  minStep!: number | null;

  @Field(() => Float, { nullable: true, description: 'Largest value.' })
  max!: number | null;

  @Field(() => Int, { nullable: true, description: 'First step with it.' })
  maxStep!: number | null;

  @Field(() => Float, { nullable: true, description: 'Mean of the last k values.' })
  tailMean!: number | null;
}

@ObjectType({ description: 'A metric over the runs of a group.' })
export class GroupMetric {
  @Field(() => Int, { description: 'Place of the group in `groups`.' })
  group!: number;

  @Field(() => SpreadType, { nullable: true, description: 'Of the newest values.' })
  last!: Spread | null;

  @Field(() => SpreadType, { nullable: true, description: 'Of the means of the last k values.' })
  tailMean!: Spread | null;

  @Field(() => SpreadType, { nullable: true, description: 'Of the largest values.' })
  max!: Spread | null;

  @Field(() => SpreadType, { nullable: true, description: 'Of the smallest values.' })
  min!: Spread | null;
}

@ObjectType({ description: 'One metric, compared.' })
export class MetricComparison {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => [RunMetric], { description: 'In each run that has it.' })
  runs!: RunMetric[];

  @Field(() => [GroupMetric], { description: 'Over the runs of each group.' })
  groups!: GroupMetric[];
}

@ObjectType({ description: 'Runs whose specs differ only by seed and name.' })
export class SeedGroup {
  @Field(() => [ID], { description: 'The runs.' })
  runIds!: string[];

  @Field(() => [Float], { description: 'Their seeds.' })
  seeds!: number[];
}

@ObjectType({ description: 'Runs side by side.' })
export class RunComparison {
  @Field(() => [Run], { description: 'The runs, in the order they were asked for.' })
  runs!: Run[];

  @Field(() => [SpecDifferenceType], { description: 'Only what differs.' })
  differences!: SpecDifference[];

  @Field(() => [SeedGroup], { description: 'Which runs differ only by their seed.' })
  groups!: SeedGroup[];

  @Field(() => [MetricComparison], { description: 'The metrics, by name.' })
  metrics!: MetricComparison[];
}
