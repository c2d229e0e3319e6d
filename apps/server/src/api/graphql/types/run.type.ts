import type { Type } from '@nestjs/common';
import { type FieldMiddleware, Float, ID, Int } from '@nestjs/graphql';
import { Run } from '../../../core/database/entities/run.js';
import { RunComment } from '../../../core/database/entities/run-comment.js';
import { Checkpoint } from '../../../core/runs/run-checkpoints.service.js';
import { RunEta } from '../../../core/runs/run-eta.service.js';
import { Evaluation, RescoringReward } from '../../../core/runs/run-evaluations.service.js';
import { HealthStateEnum, JobStateEnum, SplitEnum, TwinStateEnum } from '../enums.js';
import { TwinAgreement } from '../../../core/runs/run-twins.service.js';
import { healthOf } from '../../../core/runs/run-queries.service.js';
import { commentCost, latestCost, messageCost, specCost } from '../limits/field-costs.js';
import { DateTimeScalar, JsonScalar, NumberMapScalar, SafeIntScalar } from '../scalars.js';
import { describeType, stepField } from './describe-type.js';
import { LibraryVersion, listVersions, PluginVersionType } from './wire.type.js';

/** Health is no column: it is the newest value of a metric. */
const readHealth: FieldMiddleware<Run> = async ({ source }) => healthOf(source);

describeType(
  Run as Type<Run & { readonly health: unknown }>,
  { description: 'A training run: a resolved spec with its history and artifacts.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    project: [() => String, { description: 'The project it belongs to; API keys are scoped to projects.' }],
    name: [() => String, { description: 'Name for people; need not be unique.' }],
    title: [() => String, { description: 'Its title; empty: lists show its name.' }],
    state: [() => JobStateEnum, { description: 'Its state.' }],
    message: [
      () => String,
      {
        description: 'Why it is in this state, in a sentence; may be empty.',
        complexity: messageCost,
      },
    ],
    priority: [() => Int, { description: 'Higher is scheduled first; −100 to 100.' }],
    tags: [() => [String], { description: 'Labels to find it by.' }],
    group: [() => String, { description: 'What it belongs to, such as a sweep; empty: nothing.' }],
    note: [() => String, { description: 'Free text.', complexity: messageCost }],
    spec: [
      () => JsonScalar,
      {
        description: 'The resolved spec: every option with its value.',
        complexity: specCost,
      },
    ],
    specHash: [
      () => String,
      { description: 'sha256 of the resolved spec; equal for runs that do the same.' },
    ],
    source: [
      () => String,
      {
        nullable: true,
        description: 'The configuration as it was sent, if as text.',
        complexity: specCost,
      },
    ],
    overrides: [() => [String], { description: 'Overrides of the configuration, `path=value`.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was created.' }],
    createdBy: [() => String, { description: 'Name of the key it was created with.' }],
    startedAt: [() => DateTimeScalar, { nullable: true, description: 'When its first attempt started.' }],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When it stopped.' }],
    step: stepField('Completed steps, as of its newest metrics; null before the first.'),
    steps: [() => Int, { description: 'Iterations it will have.' }],
    latest: [
      () => NumberMapScalar,
      {
        description: 'Newest value of every metric, by name.',
        complexity: latestCost,
      },
    ],
    health: [
      () => HealthStateEnum,
      {
        nullable: true,
        description: 'What its collapse monitor says; null: nothing yet, or it is off.',
        middleware: [readHealth],
      },
    ],
    warnings: [() => Int, { description: 'Warnings so far.' }],
    head: [
      () => SafeIntScalar,
      {
        description: 'Cursor of its newest record; follow from here to get only new records.',
      },
    ],
    parentRunId: [() => ID, { nullable: true, description: 'The run it was forked from.' }],
    parentStep: [() => Int, { nullable: true, description: 'Step of the checkpoint it was forked from.' }],
    continues: [
      () => Boolean,
      {
        description:
          'A fork that goes on with everything the checkpoint holds; false: with the weights only, or no fork.',
      },
    ],
    host: [
      () => String,
      {
        nullable: true,
        description: 'Host of its first attempt; each attempt has its own.',
      },
    ],
    gitRevision: [
      () => String,
      {
        nullable: true,
        description: 'Git revision of the installation its first attempt ran with.',
      },
    ],
    versions: [
      () => [LibraryVersion],
      {
        nullable: true,
        description: 'Versions of libraries its first attempt ran with.',
        middleware: [listVersions],
      },
    ],
    plugins: [
      () => [PluginVersionType],
      {
        nullable: true,
        description: 'Plugins it was created with; each attempt has its own.',
      },
    ],
    imported: [() => Boolean, { description: 'It was imported.' }],
    forkPath: [
      () => String,
      { nullable: true, description: 'Checkpoint of the parent that it starts from.' },
    ],
  },
);

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

describeType(
  RescoringReward,
  { description: 'A reward with its weight in a total.' },
  {
    use: [() => String, { description: 'Its plugin.' }],
    weight: [() => Float, { description: 'Its weight.' }],
  },
);

const share = 'null until it is known, and where nothing is played.';
describeType(
  Evaluation,
  { description: 'An evaluation of a checkpoint: the request, the state of its job, and the result.' },
  {
    jobId: [() => ID, { description: 'Its job, which has the full result.' }],
    state: [() => JobStateEnum, { description: 'State of its job.' }],
    message: [() => String, { description: 'Why it is in this state.', complexity: messageCost }],
    step: [() => Int, { description: 'Step of the checkpoint.' }],
    checkpoint: [() => String, { description: 'Folder of the checkpoint among the artifacts.' }],
    split: [() => SplitEnum, { nullable: true, description: 'Which states; null: nothing is played.' }],
    episodes: [() => Int, { nullable: true, description: 'Episodes requested; null: nothing is played.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was requested.' }],
    endedAt: [() => DateTimeScalar, { nullable: true, description: 'When its job stopped.' }],
    successRate: [() => Float, { nullable: true, description: `Share of successes; ${share}` }],
    successLow: [() => Float, { nullable: true, description: `Lower end of its 95 % interval; ${share}` }],
    successHigh: [() => Float, { nullable: true, description: `Upper end of its 95 % interval; ${share}` }],
    rewardMean: [() => Float, { nullable: true, description: `Mean reward; ${share}` }],
    trajectory: [
      () => String,
      {
        nullable: true,
        description: 'The trajectory that it continues, or whose tokens it scores; null: none.',
      },
    ],
    rescoredSteps: [
      () => [Int],
      {
        nullable: true,
        description: 'Steps whose stored trajectories it scores again; null: it plays.',
      },
    ],
    rescoredBy: [
      () => [RescoringReward],
      {
        nullable: true,
        description: 'The rewards whose weighted sum is the new total; null: no total is computed.',
      },
    ],
  },
);

describeType(
  RunComment,
  { description: 'What a person wrote about a run.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was written.' }],
    createdBy: [() => String, { description: 'Name of the key it was written with.' }],
    text: [() => String, { description: 'The text.', complexity: commentCost }],
    step: [() => Int, { nullable: true, description: 'The step it is about; null: none.' }],
    keyId: [
      () => ID,
      { nullable: true, description: 'The key it was written with, which may edit and delete it.' },
    ],
    parentId: [
      () => ID,
      {
        nullable: true,
        description: 'The first comment of the thread that it answers; null: it is the first.',
      },
    ],
    alertId: [() => ID, { nullable: true, description: 'The alert it is about; null: none.' }],
    trajectoryId: [() => ID, { nullable: true, description: 'The trajectory it is about; null: none.' }],
    turn: [() => Int, { nullable: true, description: 'The turn it is about, from 0; null: none.' }],
    tokenStart: [
      () => Int,
      { nullable: true, description: 'The first token of the trajectory it is about; null: none.' },
    ],
    tokenEnd: [() => Int, { nullable: true, description: 'The token after the last; null: none.' }],
    editedAt: [() => DateTimeScalar, { nullable: true, description: 'When its text was replaced.' }],
    deletedAt: [
      () => DateTimeScalar,
      { nullable: true, description: 'When its text was deleted; it stays because it has answers.' },
    ],
  },
);

describeType(
  TwinAgreement,
  { description: 'Whether an unchanged fork that continues repeats its parent, bit for bit.' },
  {
    state: [() => TwinStateEnum, { description: 'What the comparison came to.' }],
    fromStep: [() => Int, { description: 'Step of the checkpoint it continues from.' }],
    upToStep: [() => Int, { nullable: true, description: 'The last step that is equal; null: none yet.' }],
    values: [() => Int, { description: 'Values of metrics that are equal.' }],
    files: [() => Int, { description: 'Files of weights and moments that are equal.' }],
    differsAtStep: [() => Int, { nullable: true, description: 'The first step that differs; null: none.' }],
    differsIn: [
      () => String,
      { nullable: true, description: 'The metric that differs there, or the path of the weights.' },
    ],
    parentValue: [() => Float, { nullable: true, description: 'What the parent has there; null: nothing.' }],
    twinValue: [() => Float, { nullable: true, description: 'What the twin has there; null: nothing.' }],
    message: [() => String, { description: 'The same in a sentence.', complexity: messageCost }],
  },
);

describeType(
  RunEta,
  { description: 'When a run will have completed its steps, from the median duration of the last ones.' },
  {
    seconds: [() => Float, { description: 'Seconds left.' }],
    at: [() => DateTimeScalar, { description: 'The moment.' }],
  },
);
