import { Float, ID, Int } from '@nestjs/graphql';
import { SampleStopEnum, SpanKindEnum } from '../enums.js';
import { NumbersScalar } from '../numbers.scalar.js';
import { JsonScalar } from '../scalars.js';
import { TrajectoryEntity } from '../../../core/database/entities/trajectory.js';
import {
  TrajectoryCounts,
  TrajectorySpan,
  TrajectoryTurn,
  TrajectoryScore,
  TrajectoryDetail,
} from '../../../core/history/trajectories/trajectory.types.js';
import { describeType } from './describe-type.js';

describeType(
  TrajectoryCounts,
  { description: 'Trajectories per step; entry i of every column is steps[i].' },
  {
    steps: [() => NumbersScalar, { description: 'Steps that have trajectories, ascending.' }],
    matching: [() => NumbersScalar, { description: 'How many match.' }],
    all: [() => NumbersScalar, { description: 'How many there are without the condition on text.' }],
  },
);

describeType(
  TrajectorySpan,
  { description: 'A range of tokens [start, end) of one kind.' },
  {
    kind: [() => SpanKindEnum, { description: 'What they are.' }],
    start: [() => Int, { description: 'First token.' }],
    end: [() => Int, { description: 'Token after the last.' }],
    turn: [() => Int, { description: 'Turn, from 0.' }],
  },
);

describeType(
  TrajectoryTurn,
  { description: 'One turn: what the model saw, what it wrote, what came of it.' },
  {
    index: [() => Int, { description: 'From 0.' }],
    observation: [() => String, { description: 'The state as shown to the model.' }],
    render: [() => String, { description: 'Picture for people, where the environment gives one.' }],
    response: [() => String, { description: 'What the model wrote.' }],
    think: [() => String, { description: 'Its reasoning.' }],
    answer: [() => String, { description: 'Its answer.' }],
    formatValid: [() => Boolean, { description: 'The response has the demanded format.' }],
    parsedActions: [() => [String], { description: 'Parts of the answer, before look-up.' }],
    actions: [
      () => JsonScalar,
      {
        description: 'Actions that reached the environment: text, valid, effective, reward, metrics.',
      },
    ],
    reward: [() => Float, { description: 'Sum of the environment’s rewards.' }],
    formatPenalty: [() => Float, { description: 'Format penalty, not above 0.' }],
    sampleStop: [() => SampleStopEnum, { description: 'Why sampling stopped.' }],
    sampled: [() => JsonScalar, { description: 'Sampled tokens: start, end (exclusive).' }],
    facts: [() => JsonScalar, { description: 'Checkable truths about the state before the actions.' }],
    timings: [() => JsonScalar, { description: 'Milliseconds: sampleMs, environmentMs.' }],
  },
);

describeType(
  TrajectoryScore,
  { description: 'What a trajectory was worth.' },
  {
    environment: [() => Float, { description: 'Sum of the environment’s rewards.' }],
    formatPenalty: [() => Float, { description: 'Sum of format penalties, not above 0.' }],
    rewards: [() => JsonScalar, { description: 'Each reward plugin’s value and weight.' }],
    perTurn: [() => NumbersScalar, { description: 'What each turn is credited with; sums to the total.' }],
    total: [() => Float, { description: 'Σ weight · value.' }],
  },
);

describeType(
  TrajectoryDetail,
  { description: 'A whole trajectory: every token with what the model thought of it.' },
  {
    id: [() => ID, { description: 'Unique within the run: split/step/group/index.' }],
    row: [() => TrajectoryEntity, { description: 'What lists show of it.' }],
    tokens: [() => NumbersScalar, { description: 'Token ids.' }],
    logprobs: [
      () => NumbersScalar,
      {
        description: 'Log-probability of each token that was sampled, nats; null elsewhere.',
      },
    ],
    entropies: [
      () => NumbersScalar,
      { description: 'Entropy at each token that was sampled, nats; null elsewhere.' },
    ],
    spans: [() => [TrajectorySpan], { description: 'What each range of tokens is.' }],
    turns: [() => [TrajectoryTurn], { description: 'Turn by turn.' }],
    score: [() => TrajectoryScore, { description: 'What it was worth.' }],
    seeds: [
      () => JsonScalar,
      { description: 'Seeds of the state, of the environment noise and of sampling.' },
    ],
    totalMs: [() => Float, { description: 'How long it took, ms.' }],
  },
);
