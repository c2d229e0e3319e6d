/** @file What queries about metrics give. */
import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { NumbersScalar } from '../graphql/numbers.scalar.js';

@ObjectType({
  description: 'Consecutive values of a series, summed up; entry i of every column is bucket i.',
})
export class MetricBuckets {
  @Field(() => NumbersScalar, { description: 'First step of each.' })
  firstSteps!: readonly number[];

  @Field(() => NumbersScalar, { description: 'Last step of each.' })
  lastSteps!: readonly number[];

  @Field(() => NumbersScalar, { description: 'Values in each, those that are no number included.' })
  counts!: readonly number[];

  @Field(() => NumbersScalar, { description: 'Least value of each; null where none is a number.' })
  min!: readonly (number | null)[];

  @Field(() => NumbersScalar, { description: 'Greatest value of each.' })
  max!: readonly (number | null)[];

  @Field(() => NumbersScalar, { description: 'Mean of each.' })
  mean!: readonly (number | null)[];
}

@ObjectType({
  description:
    'One metric of one run by step. What an earlier attempt did and a later one did again is left out. Draw values over steps.',
})
export class MetricSeries {
  @Field(() => ID, { description: 'The run.' })
  runId!: string;

  @Field(() => String, { description: 'Name of the metric.' })
  name!: string;

  @Field(() => Int, { description: 'Values there are in the range.' })
  count!: number;

  @Field(() => Boolean, {
    description: 'There are more values than points were asked for, so that only extremes are given.',
  })
  decimated!: boolean;

  @Field(() => NumbersScalar, { description: 'Step of each point, ascending.' })
  steps!: readonly number[];

  @Field(() => NumbersScalar, {
    description:
      'Value of each point; of a decimated series the least and the greatest value of each bucket, each at its own step.',
  })
  values!: readonly (number | null)[];

  @Field(() => MetricBuckets, {
    nullable: true,
    description: 'The buckets of a decimated series; null otherwise.',
  })
  buckets!: MetricBuckets | null;
}

@ObjectType({ description: 'A metric that a run has.' })
export class MetricName {
  @Field(() => String, { description: 'Its name, `area/name`.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Its unit, where known; docs/reference/metrics.md has them all.',
  })
  unit!: string | null;

  @Field(() => String, { nullable: true, description: 'How it is computed, where known.' })
  formula!: string | null;

  @Field(() => Float, { nullable: true, description: 'Newest value; null when it is no number.' })
  latest!: number | null;

  @Field(() => Int, { description: 'Values stored, those of superseded attempts included.' })
  count!: number;
}
