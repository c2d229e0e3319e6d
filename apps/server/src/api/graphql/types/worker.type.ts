import { Float, ID } from '@nestjs/graphql';
import { DateTimeScalar } from '../scalars.js';
import { DeviceReading, DeviceSpan } from '../../../core/database/entities/device-minute.js';
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

describeType(
  DeviceReading,
  { description: 'What a device reported in a span of time, as means; null: it did not.' },
  {
    id: [() => String, { description: 'Of the device.' }],
    utilisation: [() => Float, { nullable: true, description: 'Share of time at work, 0 to 1.' }],
    freeMemoryMb: [() => Float, { nullable: true, description: 'Free memory, MiB.' }],
    powerWatts: [() => Float, { nullable: true, description: 'Electric power, W.' }],
    temperatureCelsius: [() => Float, { nullable: true, description: 'Temperature, °C.' }],
  },
);

describeType(
  DeviceSpan,
  { description: 'What the devices of a worker did in a span of time.' },
  {
    at: [() => DateTimeScalar, { description: 'Its begin.' }],
    devices: [() => [DeviceReading], { description: 'Each device that reported.' }],
  },
);
