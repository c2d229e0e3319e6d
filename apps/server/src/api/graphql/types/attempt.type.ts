import { ID, Int } from '@nestjs/graphql';
import { AttemptStateEnum, DeviceKindEnum, ExitVerdictEnum } from '../enums.js';
import { messageCost } from '../limits/field-costs.js';
import { DateTimeScalar } from '../scalars.js';
import { AttemptDevice } from '../../../core/database/entities/attempt-device.js';
import { Attempt } from '../../../core/database/entities/attempt.js';
import { describeType, stepField } from './describe-type.js';
import { LibraryVersion, listVersions, PluginVersionType } from './wire.type.js';

describeType(
  Attempt,
  { description: 'One attempt at a job, by one worker. Later attempts never change it.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    jobId: [() => ID, { description: 'Its job.' }],
    runId: [() => ID, { description: 'The run it works for.' }],
    number: [() => Int, { description: 'From 1 within its job; also its fencing token.' }],
    state: [() => AttemptStateEnum, { description: 'Its state.' }],
    workerId: [() => ID, { description: 'The worker it was given to.' }],
    workerName: [() => String, { description: 'Name of that worker.' }],
    host: [() => String, { nullable: true, description: 'The host it ran on.' }],
    devices: [() => [String], { description: 'Ids of the devices it was given.' }],
    hardware: [
      () => [AttemptDevice],
      {
        nullable: true,
        description: 'Its devices as they were when it was scheduled; null: unknown.',
      },
    ],
    pid: [() => Int, { nullable: true, description: 'Process id on its host.' }],
    startStep: [
      () => Int,
      {
        nullable: true,
        description: 'Step it started from; what earlier attempts reported of later steps is superseded.',
      },
    ],
    step: stepField('Last step it finished; null: none.'),
    assignedAt: [() => DateTimeScalar, { description: 'When it was given to the worker.' }],
    startedAt: [() => DateTimeScalar, { nullable: true, description: 'When its process started.' }],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When it ended or was abandoned.' }],
    exitCode: [
      () => Int,
      {
        nullable: true,
        description: 'Exit code of the process; docs/reference/cli.md lists them.',
      },
    ],
    signal: [() => String, { nullable: true, description: 'Signal that ended the process.' }],
    verdict: [() => ExitVerdictEnum, { nullable: true, description: 'How its process ended.' }],
    message: [
      () => String,
      {
        description: 'How it ended, in a sentence; for a crash the end of what it printed.',
        complexity: messageCost,
      },
    ],
    versions: [
      () => [LibraryVersion],
      { nullable: true, description: 'Versions of libraries.', middleware: [listVersions] },
    ],
    plugins: [
      () => [PluginVersionType],
      {
        nullable: true,
        description:
          'Plugins: kind, id, version, sha256 of the package, and whether it is external to Espalier.',
      },
    ],
    gitRevision: [() => String, { nullable: true, description: 'Git revision of the installation.' }],
  },
);

describeType(
  AttemptDevice,
  { description: 'A device of an attempt, as it was when the attempt was scheduled.' },
  {
    id: [() => String, { description: 'Unique on its host: `cpu-0`, or the UUID of a GPU.' }],
    kind: [() => DeviceKindEnum, { description: 'Its kind.' }],
    name: [() => String, { description: 'Its product name, such as NVIDIA H200.' }],
    threads: [() => Int, { description: 'Processor threads; 0 for a GPU.' }],
    memoryMb: [() => Int, { nullable: true, description: 'All its memory, MiB; null: unknown.' }],
  },
);
