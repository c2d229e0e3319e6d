import { Float, ID, Int } from '@nestjs/graphql';
import { TrajectoryInFlight, TurnInFlight } from '../../../core/database/in-flight.js';
import { StopReasonEnum } from '../enums.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  TurnInFlight,
  { description: 'A turn that is played, or was just played; its texts are cut at 2,000 characters.' },
  {
    turn: [() => Int, { description: 'From 0.' }],
    observation: [() => String, { description: 'The state as shown to the model.' }],
    render: [() => String, { description: 'The state as drawn for people, in letters.' }],
    image: [
      () => String,
      {
        nullable: true,
        description:
          'Picture of the state, base64 of a PNG; null: none, a larger one, or not of the two newest turns.',
      },
    ],
    response: [() => String, { nullable: true, description: 'What the model wrote; null: it still writes.' }],
    actions: [() => [String], { description: 'Actions that reached the environment.' }],
    reward: [() => Float, { nullable: true, description: 'Sum of the environment’s rewards.' }],
  },
);

describeType(
  TrajectoryInFlight,
  { description: 'An episode that is played, or was just played; stored when its step ends.' },
  {
    runId: [() => ID, { description: 'The run.' }],
    id: [() => ID, { description: 'Of the trajectory that it will be.' }],
    step: [() => Int, { description: 'Step that it is sampled for.' }],
    environment: [() => String, { description: 'Environment that it is played in.' }],
    startedAt: [() => DateTimeScalar, { description: 'When its first turn began.' }],
    updatedAt: [() => DateTimeScalar, { description: 'When its trainer told of it last.' }],
    turns: [() => [TurnInFlight], { description: 'Its newest turns, up to 8, oldest first.' }],
    ended: [() => StopReasonEnum, { nullable: true, description: 'Why it ended; null: it goes on.' }],
  },
);
