import { ID } from '@nestjs/graphql';
import { DateTimeScalar } from '../scalars.js';
import { Worker } from '../../../core/database/entities/worker.js';
import { describeType } from './describe-type.js';
import { DeviceType } from './wire.type.js';

describeType(
  Worker,
  { description: 'A machine, or a part of one, that runs jobs.' },
  {
    id: [() => ID, { description: 'Sorts by the age of its first connection.' }],
    name: [() => String, { description: 'Unique; a setting of the worker.' }],
    host: [() => String, { description: 'Name of its machine.' }],
    version: [() => String, { description: 'Version of Espalier it runs.' }],
    node: [() => String, { description: 'Version of Node it runs on.' }],
    labels: [() => [String], { description: 'Labels that jobs can require.' }],
    devices: [() => [DeviceType], { description: 'Its devices, as last reported.' }],
    online: [() => Boolean, { description: 'It is connected now.' }],
    draining: [() => Boolean, { description: 'It gets no new jobs.' }],
    connectedAt: [() => DateTimeScalar, { description: 'When it connected last.' }],
    lastSeenAt: [() => DateTimeScalar, { description: 'When it last sent a message.' }],
  },
);
