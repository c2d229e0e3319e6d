import { Int } from '@nestjs/graphql';
import { DateTimeScalar, SafeIntScalar } from '../scalars.js';
import { LogLine } from '../../../core/history/records/run-reader.js';
import { describeType } from './describe-type.js';

/** a line may have 20,000 characters, and is read whole */
const lineCost = 10;

describeType(
  LogLine,
  { description: 'A line that the process of a run printed.' },
  {
    cursor: [() => SafeIntScalar, { description: 'Its place in the history of the run.' }],
    time: [() => DateTimeScalar, { description: 'When it was printed.' }],
    attempt: [() => Int, { description: 'Attempt that printed it.' }],
    text: [() => String, { description: 'The line.', complexity: () => lineCost }],
  },
);
