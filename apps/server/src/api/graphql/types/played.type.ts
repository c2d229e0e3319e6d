import { Float } from '@nestjs/graphql';
import { LegendEntry, PlayedState, PlayedStep } from '../../../core/plugins/catalogue-messages.js';
import { StopReasonEnum } from '../enums.js';
import { JsonScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  PlayedStep,
  { description: 'An action that was taken by hand.' },
  {
    action: [() => String, { description: 'The action.' }],
    reward: [() => Float, { description: 'The environment’s reward for it.' }],
    valid: [() => Boolean, { description: 'It is legal in this environment.' }],
    effective: [() => Boolean, { description: 'It changed the state.' }],
    slipped: [
      () => Boolean,
      { nullable: true, description: 'Chance changed what it does; null: the environment does not tell.' },
    ],
  },
);

describeType(
  LegendEntry,
  { description: 'What a symbol of an observation means.' },
  {
    symbol: [() => String, { description: 'The symbol.' }],
    meaning: [() => String, { description: 'What it means.' }],
  },
);

describeType(
  PlayedState,
  { description: 'A state of an environment that was reached by hand.' },
  {
    observation: [() => String, { description: 'The state as shown to a model.' }],
    legend: [() => [LegendEntry], { description: 'What its symbols mean.' }],
    actions: [
      () => [String],
      { nullable: true, description: 'Actions that can be taken; null: any text is one.' },
    ],
    render: [() => String, { description: 'The state as drawn for people, in letters.' }],
    image: [
      () => String,
      { nullable: true, description: 'Picture of the state, base64 of a PNG; null: it draws none.' },
    ],
    facts: [() => JsonScalar, { description: 'What the environment tells of the state, for machines.' }],
    hasOracle: [() => Boolean, { description: 'The environment has an oracle.' }],
    plan: [
      () => [String],
      {
        nullable: true,
        description:
          'Actions from here to success, by the oracle; empty: none; null: no oracle, or it is over.',
      },
    ],
    steps: [
      () => [PlayedStep],
      { description: 'The actions that were taken; fewer than asked for where the episode ended before.' },
    ],
    ended: [
      () => StopReasonEnum,
      { nullable: true, description: 'How the episode ended; null: it goes on.' },
    ],
  },
);
