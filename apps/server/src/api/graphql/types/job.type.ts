import { ID, Int } from '@nestjs/graphql';
import { messageCost, resultCost } from '../field-costs.js';
import { DateTimeScalar, JsonScalar } from '../scalars.js';
import { JobKindEnum, JobStateEnum } from '../enums.js';
import { Job } from '../../../core/database/entities/job.js';
import { Queue } from '../../../core/scheduling/job-queries.service.js';
import { describeType } from './describe-type.js';
import { JobNeedsType } from './wire.type.js';

describeType(
  Job,
  { description: 'One piece of work of a run: training it, or evaluating one of its checkpoints.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it works for.' }],
    kind: [() => JobKindEnum, { description: 'What it does.' }],
    state: [() => JobStateEnum, { description: 'Where it stands.' }],
    message: [
      () => String,
      {
        description: 'Why it waits, failed or was stopped, in a sentence.',
        complexity: messageCost,
      },
    ],
    priority: [() => Int, { description: 'Higher is placed first; among equals the older.' }],
    needs: [
      () => JobNeedsType,
      {
        description: 'Devices it needs: kind, count, memory, labels.',
      },
    ],
    createdAt: [() => DateTimeScalar, { description: 'When it was created.' }],
    queuedAt: [() => DateTimeScalar, { description: 'Since when it waits, or waited last.' }],
    startedAt: [
      () => DateTimeScalar,
      {
        nullable: true,
        description: 'When its first attempt was given to a worker.',
      },
    ],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When it came to rest.' }],
    token: [
      () => Int,
      {
        description: 'Attempts so far. It is also the fencing token: only the newest attempt’s writes count.',
      },
    ],
    crashes: [
      () => Int,
      {
        description:
          'Attempts that ended without a word (killed, out of memory), since a person last resumed it.',
      },
    ],
    tries: [
      () => Int,
      {
        description: 'Attempts whose work failed in a way it explained, since a person last resumed it.',
      },
    ],
    notBefore: [
      () => DateTimeScalar,
      {
        nullable: true,
        description: 'After a failed attempt: when it may be placed again.',
      },
    ],
    workerId: [() => ID, { nullable: true, description: 'The worker that holds it.' }],
    attemptId: [() => ID, { nullable: true, description: 'Its newest attempt.' }],
    result: [
      () => JsonScalar,
      {
        nullable: true,
        description:
          'What an evaluation found: shares and their intervals, and with up to 1000 episodes the outcome of each.',
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
