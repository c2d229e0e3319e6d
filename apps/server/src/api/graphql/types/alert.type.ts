import { ID, Int } from '@nestjs/graphql';
import { DateTimeScalar } from '../scalars.js';
import { Alert } from '../../../core/database/entities/alert.js';
import { describeType } from './describe-type.js';

describeType(
  Alert,
  { description: 'Something about a run that a person should know.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it is about.' }],
    severity: [() => String, { description: '`info`, `warning` or `error`.' }],
    code: [() => String, { description: 'Stable code.' }],
    message: [() => String, { description: 'What was found and what to do.' }],
    step: [() => Int, { description: 'Step it was found at; −1: none.' }],
    time: [() => DateTimeScalar, { description: 'When.' }],
    acknowledgedAt: [() => DateTimeScalar, { nullable: true, description: 'When somebody acknowledged it.' }],
    acknowledgedBy: [
      () => String,
      { nullable: true, description: 'Name of the key it was acknowledged with.' },
    ],
  },
);
