import { Float, ID, Int } from '@nestjs/graphql';
import { Chat } from '../../../core/runs/run-chats.service.js';
import { JobStateEnum } from '../enums.js';
import { messageCost } from '../limits/field-costs.js';
import { DateTimeScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  Chat,
  {
    description:
      'A checkpoint that is loaded on a worker to chat with. It replies at POST /api/v1/runs/{id}/chats/{jobId}/reply.',
  },
  {
    jobId: [() => ID, { description: 'Its job.' }],
    runId: [() => ID, { description: 'The run of the checkpoint.' }],
    state: [() => JobStateEnum, { description: 'State of its job; it replies while that is running.' }],
    message: [
      () => String,
      { description: 'Why it failed or was stopped, in a sentence; may be empty.', complexity: messageCost },
    ],
    whyWaiting: [
      () => String,
      {
        nullable: true,
        description: 'Why it waits for devices; null: it does not.',
        complexity: messageCost,
      },
    ],
    step: [() => Int, { description: 'Step of the checkpoint.' }],
    checkpoint: [() => String, { description: 'Folder of the checkpoint among the artifacts of the run.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was started.' }],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When it ended; null: it has not.' }],
    system: [
      () => String,
      {
        nullable: true,
        description: 'System message that the run begins with; null: that of the chat template.',
        complexity: messageCost,
      },
    ],
    replyBegins: [
      () => String,
      { description: 'The tag that replies begin with, which is given to the model; may be empty.' },
    ],
    temperature: [() => Float, { description: 'Sampling temperature of the run.' }],
    topP: [() => Float, { description: 'Top-p of the run.' }],
    topK: [() => Int, { description: 'Top-k of the run; 0: all tokens.' }],
    maxTokens: [() => Int, { description: 'Longest reply of the run, in tokens.' }],
  },
);
