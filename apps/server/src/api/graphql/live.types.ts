/** @file Types of subscriptions. */
import type { Phase } from '@espalier/contracts';
import { describeAfter } from '@espalier/protocol';
import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { PhaseEnum, RunEventKindEnum } from './enums.js';
import { DateTimeScalar, NumbersScalar, SafeIntScalar } from './scalars.js';
import { toSentence } from './types/from-schema.js';
import { RunEventBody } from './types/record-body.type.js';

export const runArg = { type: () => ID, description: 'The run.' } as const;
export const afterArg = {
  type: () => SafeIntScalar,
  defaultValue: 0,
  description: toSentence(describeAfter),
} as const;

/** What each batch of a run has. */
@ObjectType({ isAbstract: true })
export class RunBatch {
  @Field(() => ID, { description: 'The run.' })
  runId!: string;

  @Field(() => SafeIntScalar, { description: 'The batch holds everything after this cursor …' })
  after!: number;

  @Field(() => SafeIntScalar, { description: '… up to and including this one.' })
  cursor!: number;
}

@ObjectType({ description: 'One metric of a batch.' })
export class LiveSeries {
  @Field(() => String, { description: 'Name of the metric.' })
  name!: string;

  @Field(() => NumbersScalar, { description: 'Its value in each row; null where the row has none.' })
  values!: readonly (number | null)[];

  @Field(() => [Int], {
    description:
      'Rows, from 0, at which it was reported and is NaN or infinite; `values` has null there, too.',
  })
  notFinite!: readonly number[];
}

@ObjectType({
  description:
    'Metrics of a run in columns: row i is steps[i], times[i], attempts[i] and values[i] of every series. Nothing is missing between two batches of one subscription; after a broken connection subscribe again with `after` = the last `cursor`.',
})
export class LiveMetrics extends RunBatch {
  @Field(() => NumbersScalar, { description: 'Cursor of each row.' })
  cursors!: readonly number[];

  @Field(() => NumbersScalar, { description: 'Completed iterations at each row.' })
  steps!: readonly number[];

  @Field(() => NumbersScalar, { description: 'Time of each row, ms since the epoch.' })
  times!: readonly number[];

  @Field(() => NumbersScalar, {
    description:
      'Attempt each row came from. Once a later one has begun, rows of earlier ones count up to its `startStep`, or not at all where that is 0.',
  })
  attempts!: readonly number[];

  @Field(() => [LiveSeries], { description: 'The metrics.' })
  series!: readonly LiveSeries[];
}

@ObjectType({ description: 'One thing that happened to a run, other than metrics.' })
export class RunEventRecord {
  @Field(() => SafeIntScalar, { description: 'Its place in the history of the run, from 1.' })
  cursor!: number;

  @Field(() => RunEventKindEnum, { description: 'What happened.' })
  kind!: string;

  @Field(() => DateTimeScalar, { description: 'When.' })
  time!: number;

  @Field(() => Int, { nullable: true, description: 'Step it belongs to; null: none.' })
  step!: number | null;

  @Field(() => Int, { nullable: true, description: 'Attempt it came from; null: the server itself.' })
  attempt!: number | null;

  @Field(() => RunEventBody, { description: 'The rest, by kind.' })
  body!: object;
}

@ObjectType({ description: 'What happened to a run, other than metrics, since the batch before.' })
export class RunEventBatch extends RunBatch {
  @Field(() => [RunEventRecord], { description: 'In the order in which they happened.' })
  records!: readonly RunEventRecord[];
}

@ObjectType({ description: 'Progress of the current step of a run. Not stored.' })
export class RunProgress {
  @Field(() => ID, { description: 'The run.' })
  runId!: string;

  @Field(() => Int, { description: 'Completed iterations.' })
  step!: number;

  @Field(() => Int, { description: 'Steps the run is to have.' })
  steps!: number;

  @Field(() => PhaseEnum, { description: 'What it does now.' })
  phase!: Phase;

  @Field(() => Float, { description: 'How much of it is done …' })
  done!: number;

  @Field(() => Float, { description: '… of this much.' })
  total!: number;
}
