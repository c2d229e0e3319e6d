import { Float, ID, Int } from '@nestjs/graphql';
import { TrajectoryInFlight, TurnInFlight } from '../../../core/database/in-flight.js';
import { StopReasonEnum, TurnPhaseEnum } from '../enums.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  TurnInFlight,
  { description: 'A turn that is played, or was just played; its texts are cut at 2,000 characters.' },
  {
    turn: [() => Int, { description: 'From 0.' }],
    phase: [() => TurnPhaseEnum, { description: 'What it is at.' }],
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
    turn: [() => Int, { description: 'Its newest turn, from 0.' }],
    phase: [() => TurnPhaseEnum, { description: 'What that turn is at.' }],
    preview: [
      () => String,
      { description: 'The first 160 characters of what the model wrote last; empty: nothing yet.' },
    ],
    reward: [
      () => Float,
      { nullable: true, description: 'Sum of the environment’s rewards of all its turns; null: not finite.' },
    ],
    turns: [
      () => [TurnInFlight],
      {
        description:
          'Its newest turns, up to 8, oldest first. Turns that came faster than trainers tell are left out; empty where texts of the run take more than 4 MiB.',
      },
    ],
    ended: [() => StopReasonEnum, { nullable: true, description: 'Why it ended; null: it goes on.' }],
  },
);
