import { ID, Int } from '@nestjs/graphql';
import { AlertSeverityEnum } from '../enums.js';
import { DateTimeScalar } from '../scalars.js';
import { Alert } from '../../../core/database/entities/alert.js';
import { AlertCount } from '../../../core/history/alerts/alert.service.js';
import { describeType, stepField } from './describe-type.js';

describeType(
  Alert,
  { description: 'Something about a run that a person should know.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it is about.' }],
    severity: [() => AlertSeverityEnum, { description: 'How severe it is.' }],
    code: [() => String, { description: 'Stable code.' }],
    message: [() => String, { description: 'What was found and what to do.' }],
    step: stepField('Step it was found at; null: none.'),
    time: [() => DateTimeScalar, { description: 'When.' }],
    acknowledgedAt: [() => DateTimeScalar, { nullable: true, description: 'When somebody acknowledged it.' }],
    acknowledgedBy: [
      () => String,
      { nullable: true, description: 'Name of the key it was acknowledged with.' },
    ],
  },
);

describeType(
  AlertCount,
  { description: 'How many alerts have a severity.' },
  {
    severity: [() => AlertSeverityEnum, { description: 'The severity.' }],
    total: [() => Int, { description: 'Alerts of it.' }],
    unacknowledged: [() => Int, { description: 'Those that nobody acknowledged.' }],
  },
);
