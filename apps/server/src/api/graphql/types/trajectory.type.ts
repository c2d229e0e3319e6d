import { Float, ID, Int } from '@nestjs/graphql';
import { TrajectoryEntity } from '../../../core/database/entities/trajectory.js';
import { describeType } from './describe-type.js';

describeType(
  TrajectoryEntity,
  {
    name: 'TrajectoryRow',
    ...{
      description: 'One attempt of the agent at one initial state, as lists show it.',
    },
  },
  {
    runId: [() => ID, { description: 'The run it belongs to.' }],
    cursor: [() => Float, { description: 'Its place in the history of the run.' }],
    id: [() => ID, { description: 'Unique within the run: split/step/group/index.' }],
    attempt: [() => Int, { description: 'Attempt of the job it was made by.' }],
    step: [() => Int, { description: 'Step it was sampled for: completed iterations, from 1 in training.' }],
    environment: [() => String, { description: 'Environment it was played in.' }],
    split: [() => String, { description: '`train`, `validation` or `test`.' }],
    group: [() => Int, { description: 'Group: attempts at the same initial state.' }],
    index: [() => Int, { description: 'Place within the group.' }],
    stateSeed: [() => Float, { description: 'Seed of the initial state.' }],
    reward: [
      () => Float,
      {
        nullable: true,
        description: 'Total score: rewards with their weights, and format penalties.',
      },
    ],
    environmentReward: [() => Float, { nullable: true, description: 'Sum of the environment’s rewards.' }],
    success: [() => Boolean, { description: 'The environment reports success.' }],
    stopReason: [
      () => String,
      {
        description: 'Why it ended: success, failure, actions, turns, context, error, timeout, cancelled.',
      },
    ],
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
