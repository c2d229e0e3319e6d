import { Float, ID, Int } from '@nestjs/graphql';
import { SplitEnum, StopReasonEnum } from '../enums.js';
import { SafeIntScalar } from '../scalars.js';
import { TrajectoryEntity } from '../../../core/database/entities/trajectory.js';
import { describeType } from './describe-type.js';

describeType(
  TrajectoryEntity,
  {
    name: 'Trajectory',
    description: 'One rollout from an initial state, as lists show it.',
  },
  {
    runId: [() => ID, { description: 'The run it belongs to.' }],
    cursor: [() => SafeIntScalar, { description: 'Its place in the history of the run.' }],
    id: [() => ID, { description: 'Unique within the run: split/step/group/index.' }],
    attempt: [() => Int, { description: 'Attempt of the job it was made by.' }],
    step: [() => Int, { description: 'Step it was sampled for: completed iterations, from 1 in training.' }],
    environment: [() => String, { description: 'Environment it was played in.' }],
    split: [() => SplitEnum, { description: 'Which states it was sampled from.' }],
    group: [() => Int, { description: 'Group: attempts at the same initial state.' }],
    index: [() => Int, { description: 'Place within the group.' }],
    stateSeed: [() => SafeIntScalar, { description: 'Seed of the initial state.' }],
    reward: [
      () => Float,
      {
        nullable: true,
        description: 'Total score: rewards with their weights, and format penalties.',
      },
    ],
    environmentReward: [() => Float, { nullable: true, description: 'Sum of the environment’s rewards.' }],
    success: [() => Boolean, { description: 'The environment reports success.' }],
    stopReason: [() => StopReasonEnum, { description: 'Why it ended.' }],
    turns: [() => Int, { description: 'Turns played.' }],
    tokens: [() => Int, { description: 'Tokens in all.' }],
    sampledTokens: [() => Int, { description: 'Tokens the model wrote.' }],
    kept: [() => Boolean, { description: 'It entered the batch.' }],
    error: [() => String, { nullable: true, description: 'What failed, where something did.' }],
    superseded: [
      () => Boolean,
      {
        description: 'A later attempt did this step again; left out of lists unless asked for.',
      },
    ],
  },
);
