import { Float, Int } from '@nestjs/graphql';
import { AttemptDevice } from '../../../core/database/entities/attempt-device.js';
import { describeType } from './describe-type.js';

describeType(
  AttemptDevice,
  { description: 'A device of an attempt, as it was when the attempt was placed.' },
  {
    id: [() => String, { description: 'Unique on its host: `cpu-0`, or the UUID of a GPU.' }],
    kind: [() => String, { description: '`cpu` or `gpu`.' }],
    name: [() => String, { description: 'What a person calls it, such as NVIDIA H200.' }],
    threads: [() => Int, { description: 'Processor threads; 0 for a GPU.' }],
    memoryMb: [() => Float, { description: 'All its memory, MiB.' }],
  },
);
