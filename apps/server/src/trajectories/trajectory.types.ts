/** @file What queries about trajectories give and take. */
import { stopReasons, type StopReason } from '@espalier/contracts';
import { Field, Float, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { NumbersScalar } from '../graphql/numbers.scalar.js';
import { pageOf } from '../graphql/page.js';
import { JsonScalar } from '../graphql/scalars.js';
import { TrajectoryEntity } from './trajectory.entity.js';
import { trajectorySorts } from './trajectory-request.js';

function enumOf<K extends string>(name: string, description: string, values: Readonly<Record<K, string>>) {
  const names = Object.fromEntries(Object.keys(values).map((key) => [key, key])) as { [P in K]: P };
  const valuesMap = Object.fromEntries(
    Object.entries<string>(values).map(([key, text]) => [key, { description: text }]),
  ) as { [P in K]: { description: string } };
  registerEnumType(names, { name, description, valuesMap });
  return names;
}

export const TrajectorySortEnum = enumOf(
  'TrajectorySort',
  'Order of a list of trajectories.',
  trajectorySorts,
);
export const StopReasonEnum = enumOf('StopReason', 'Why a trajectory ended.', stopReasons);

export const TrajectoryPage = pageOf(TrajectoryEntity, 'TrajectoryPage');

@InputType({ description: 'Which trajectories; all conditions hold at once.' })
export class TrajectoryFilterInput {
  @Field(() => Int, { nullable: true, description: 'First step, from 0.' })
  fromStep?: number;

  @Field(() => Int, { nullable: true, description: 'Last step.' })
  toStep?: number;

  @Field(() => String, { nullable: true, description: 'Played in this environment.' })
  environment?: string;

  @Field(() => String, { nullable: true, description: '`train`, `validation` or `test`.' })
  split?: string;

  @Field(() => Int, { nullable: true, description: 'Of this group.' })
  group?: number;

  @Field(() => Float, { nullable: true, description: 'Reward at least this.' })
  minReward?: number;

  @Field(() => Float, { nullable: true, description: 'Reward at most this.' })
  maxReward?: number;

  @Field(() => Boolean, { nullable: true, description: 'Only successes, or only the others.' })
  success?: boolean;

  @Field(() => StopReasonEnum, { nullable: true, description: 'Why it ended.' })
  stopReason?: StopReason;

  @Field(() => Boolean, { nullable: true, description: 'Entered the batch, or not.' })
  kept?: boolean;

  @Field(() => Boolean, { nullable: true, description: 'Also those whose step a later attempt did again.' })
  superseded?: boolean;

  @Field(() => String, {
    nullable: true,
    description:
      'Words that all occur, in any order; "several words" in this order; a minus excludes. Text without letters and digits is looked for as it is.',
  })
  text?: string;
}

@ObjectType({ description: 'Trajectories per step; entry i of every column is steps[i].' })
export class TrajectoryCounts {
  @Field(() => NumbersScalar, { description: 'Steps that have trajectories, ascending.' })
  steps!: readonly number[];

  @Field(() => NumbersScalar, { description: 'How many match.' })
  matching!: readonly number[];

  @Field(() => NumbersScalar, { description: 'How many there are without the condition on text.' })
  all!: readonly number[];
}

@ObjectType({ description: 'A range of tokens [start, end) of one kind.' })
export class TrajectorySpan {
  @Field(() => String, {
    description:
      '`template` (markup), `observation` (from the environment), `think`, `answer` or `control` (sampled end of turn).',
  })
  kind!: string;

  @Field(() => Int, { description: 'First token.' })
  start!: number;

  @Field(() => Int, { description: 'Token after the last.' })
  end!: number;

  @Field(() => Int, { description: 'Turn, from 0.' })
  turn!: number;
}

@ObjectType({ description: 'One turn: what the model saw, what it wrote, what came of it.' })
export class TrajectoryTurn {
  @Field(() => Int, { description: 'From 0.' })
  index!: number;

  @Field(() => String, { description: 'The state as shown to the model.' })
  observation!: string;

  @Field(() => String, { description: 'Picture for people, where the environment gives one.' })
  render!: string;

  @Field(() => String, { description: 'What the model wrote.' })
  response!: string;

  @Field(() => String, { description: 'Its reasoning.' })
  think!: string;

  @Field(() => String, { description: 'Its answer.' })
  answer!: string;

  @Field(() => Boolean, { description: 'The response has the demanded format.' })
  formatValid!: boolean;

  @Field(() => [String], { description: 'Parts of the answer, before look-up.' })
  parsedActions!: readonly string[];

  @Field(() => JsonScalar, {
    description: 'Actions that reached the environment: text, valid, effective, reward, metrics.',
  })
  actions!: readonly unknown[];

  @Field(() => Float, { description: 'Sum of the environment’s rewards.' })
  reward!: number;

  @Field(() => Float, { description: 'Format penalty, not above 0.' })
  formatPenalty!: number;

  @Field(() => String, { description: 'Why sampling stopped: `stop`, `length` or `context`.' })
  sampleStop!: string;

  @Field(() => JsonScalar, { description: 'Sampled tokens: start, end (exclusive).' })
  sampled!: Readonly<Record<string, number>>;

  @Field(() => JsonScalar, { description: 'Checkable truths about the state before the actions.' })
  facts!: Readonly<Record<string, unknown>>;

  @Field(() => JsonScalar, { description: 'Milliseconds: sampleMs, environmentMs.' })
  timings!: Readonly<Record<string, number>>;
}

@ObjectType({ description: 'What a trajectory was worth.' })
export class TrajectoryScore {
  @Field(() => Float, { description: 'Sum of the environment’s rewards.' })
  environment!: number;

  @Field(() => Float, { description: 'Sum of format penalties, not above 0.' })
  formatPenalty!: number;

  @Field(() => JsonScalar, { description: 'Each reward plugin’s value and weight.' })
  rewards!: Readonly<Record<string, unknown>>;

  @Field(() => NumbersScalar, { description: 'What each turn is credited with; sums to the total.' })
  perTurn!: readonly number[];

  @Field(() => Float, { description: 'Σ weight · value.' })
  total!: number;
}

@ObjectType({ description: 'A whole trajectory: every token with what the model thought of it.' })
export class TrajectoryDetail {
  @Field(() => ID, { description: 'Unique within the run: split/step/group/index.' })
  id!: string;

  @Field(() => TrajectoryEntity, { description: 'What lists show of it.' })
  row!: TrajectoryEntity;

  @Field(() => NumbersScalar, { description: 'Token ids.' })
  tokens!: readonly number[];

  @Field(() => NumbersScalar, {
    description: 'Log-probability of each sampled token, nats; 0 where nothing was sampled.',
  })
  logprobs!: readonly (number | null)[];

  @Field(() => NumbersScalar, { description: 'Entropy at each sampled token, nats; 0 elsewhere.' })
  entropies!: readonly (number | null)[];

  @Field(() => [TrajectorySpan], { description: 'What each range of tokens is.' })
  spans!: readonly TrajectorySpan[];

  @Field(() => [TrajectoryTurn], { description: 'Turn by turn.' })
  turns!: readonly TrajectoryTurn[];

  @Field(() => TrajectoryScore, { description: 'What it was worth.' })
  score!: TrajectoryScore;

  @Field(() => JsonScalar, { description: 'Seeds of the state, of the environment noise and of sampling.' })
  seeds!: unknown;

  @Field(() => Float, { description: 'How long it took, ms.' })
  totalMs!: number;
}
