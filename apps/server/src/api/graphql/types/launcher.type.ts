import { ID, Int } from '@nestjs/graphql';
import { LaunchedWorker } from '../../../core/database/entities/launched-worker.js';
import { LauncherView } from '../../../core/scaling/launcher-queries.service.js';
import { DeviceKindEnum, LauncherDriverEnum, LaunchStateEnum } from '../enums.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  LauncherView,
  { name: 'Launcher', description: 'Starts workers somewhere when jobs wait, and stops idle ones.' },
  {
    name: [() => ID, { description: 'Unique; a setting of the server.' }],
    driver: [() => LauncherDriverEnum, { description: 'Where its workers run.' }],
    deviceKind: [() => DeviceKindEnum, { description: 'Kind of the devices of its workers.' }],
    deviceCount: [() => Int, { description: 'Devices of each worker.' }],
    memoryMb: [() => Int, { description: 'Memory of each device, MiB; 0: unknown.' }],
    labels: [() => [String], { description: 'Labels of its workers.' }],
    minimum: [() => Int, { description: 'Workers that run even if no job waits.' }],
    maximum: [() => Int, { description: 'Workers at most.' }],
    perProject: [() => Int, { description: 'Workers at most for one project; 0: no limit.' }],
    idleSeconds: [() => Int, { description: 'A worker without a job for this long is stopped.' }],
    coming: [() => Int, { description: 'Workers that were started and have not connected yet.' }],
    online: [() => Int, { description: 'Workers that are connected and get jobs.' }],
    leaving: [() => Int, { description: 'Workers that are drained or stopping.' }],
    backoffUntil: [
      () => DateTimeScalar,
      { nullable: true, description: 'It starts nothing before then; null: it does not back off.' },
    ],
    problem: [
      () => String,
      { description: 'Why it backs off, or cannot reach its cluster; empty: all is well.' },
    ],
  },
);

describeType(
  LaunchedWorker,
  { description: 'A worker that a launcher has started.' },
  {
    name: [() => ID, { description: 'Unique; also the name of the worker.' }],
    launcher: [() => String, { description: 'Name of its launcher.' }],
    project: [
      () => String,
      {
        nullable: true,
        description: 'For whose jobs it was started; null: for none, or for a project you may not see.',
      },
    ],
    state: [() => LaunchStateEnum, { description: 'Where it is.' }],
    reason: [() => String, { description: 'Why it waits, stops or ended, in the words of the cluster.' }],
    handle: [
      () => String,
      { nullable: true, description: 'What the cluster calls it, such as the id of a Slurm job.' },
    ],
    createdAt: [() => DateTimeScalar, { description: 'When it was started.' }],
    changedAt: [() => DateTimeScalar, { description: 'When its state last changed.' }],
    connectedAt: [() => DateTimeScalar, { nullable: true, description: 'When it first connected.' }],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When it was over.' }],
  },
);
