import { Float, ID, Int } from '@nestjs/graphql';
import { Checkpoint } from '../../../core/runs/run-checkpoints.service.js';
import { RunEta } from '../../../core/runs/run-eta.service.js';
import { Evaluation } from '../../../core/runs/run-evaluations.service.js';
import { JobStateEnum, SplitEnum } from '../enums.js';
import { messageCost } from '../field-costs.js';
import { DateTimeScalar, SafeIntScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

describeType(
  Checkpoint,
  { description: 'The weights of a run after a step, as files among its artifacts.' },
  {
    step: [() => Int, { description: 'Completed iterations.' }],
    path: [() => String, { description: 'Its folder among the artifacts.' }],
    files: [() => Int, { description: 'Files stored.' }],
    bytes: [() => SafeIntScalar, { description: 'Their sizes in bytes, summed.' }],
    createdAt: [() => DateTimeScalar, { description: 'When its newest file was stored.' }],
    isComplete: [() => Boolean, { description: 'All its files are stored, so it can be exported.' }],
    canFork: [() => Boolean, { description: 'A run can be forked from it, and it can be evaluated.' }],
  },
);

const share = 'null until it is known.';
describeType(
  Evaluation,
  { description: 'An evaluation of a checkpoint: the request, the state of its job, and the result.' },
  {
    jobId: [() => ID, { description: 'Its job, which has every outcome.' }],
    state: [() => JobStateEnum, { description: 'State of its job.' }],
    message: [() => String, { description: 'Why it stands there.', complexity: messageCost }],
    step: [() => Int, { description: 'Step of the checkpoint.' }],
    checkpoint: [() => String, { description: 'Folder of the checkpoint among the artifacts.' }],
    split: [() => SplitEnum, { description: 'Which states.' }],
    episodes: [() => Int, { description: 'Episodes requested.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was requested.' }],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When its job stopped.' }],
    successRate: [() => Float, { nullable: true, description: `Share of successes; ${share}` }],
    successLow: [() => Float, { nullable: true, description: `Lower end of its 95 % interval; ${share}` }],
    successHigh: [() => Float, { nullable: true, description: `Upper end of its 95 % interval; ${share}` }],
    rewardMean: [() => Float, { nullable: true, description: `Mean reward; ${share}` }],
  },
);

describeType(
  RunEta,
  { description: 'When a run will have done its steps, from the median duration of its last ones.' },
  {
    seconds: [() => Float, { description: 'Seconds left.' }],
    at: [() => DateTimeScalar, { description: 'The moment.' }],
  },
);
