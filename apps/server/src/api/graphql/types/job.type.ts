import { ID, Int } from '@nestjs/graphql';
import { messageCost, resultCost } from '../limits/field-costs.js';
import { DateTimeScalar } from '../scalars.js';
import { JobKindEnum, JobStateEnum } from '../enums.js';
import { Job } from '../../../core/database/entities/job.js';
import { Queue } from '../../../core/scheduling/job-queries.service.js';
import { describeType } from './describe-type.js';
import { EvaluationResultType, JobNeedsType } from './wire.type.js';

describeType(
  Job,
  { description: 'One piece of work of a run: training it, or evaluating one of its checkpoints.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it works for.' }],
    kind: [() => JobKindEnum, { description: 'What it does.' }],
    state: [() => JobStateEnum, { description: 'Its state.' }],
    message: [
      () => String,
      {
        description: 'Why it waits, failed or was stopped, in a sentence.',
        complexity: messageCost,
      },
    ],
    priority: [() => Int, { description: 'Higher is scheduled first; among equals the older.' }],
    needs: [
      () => JobNeedsType,
      {
        description: 'Devices it needs: kind, count, memory, labels.',
      },
    ],
    createdAt: [() => DateTimeScalar, { description: 'When it was created.' }],
    queuedAt: [() => DateTimeScalar, { description: 'When it was last queued.' }],
    startedAt: [
      () => DateTimeScalar,
      {
        nullable: true,
        description: 'When its first attempt was given to a worker.',
      },
    ],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When it stopped.' }],
    token: [
      () => Int,
      {
        description: 'Attempts so far; also the fencing token: only writes of the newest attempt count.',
      },
    ],
    failures: [
      () => Int,
      {
        description:
          'Failures in a row without progress: its process failed or crashed (killed, out of memory), or its worker vanished. A manual resume resets it.',
      },
    ],
    notBefore: [
      () => DateTimeScalar,
      {
        nullable: true,
        description: 'After a failed attempt: when it may be scheduled again.',
      },
    ],
    workerId: [() => ID, { nullable: true, description: 'The worker that holds it.' }],
    attemptId: [() => ID, { nullable: true, description: 'Its newest attempt.' }],
    result: [
      () => EvaluationResultType,
      {
        nullable: true,
        description: 'The result of an evaluation; null until it is known, and for training.',
        complexity: resultCost,
      },
    ],
  },
);

describeType(
  Queue,
  { description: 'How many jobs wait, and how many have devices.' },
  {
    queued: [() => Int, { description: 'Jobs that wait for devices.' }],
    assigned: [() => Int, { description: 'Jobs whose process is about to start.' }],
    running: [() => Int, { description: 'Jobs whose process runs, those that are stopping included.' }],
    oldestQueuedAt: [
      () => DateTimeScalar,
      {
        nullable: true,
        description: 'Since when the oldest of those that wait is queued; null: none waits.',
      },
    ],
  },
);
