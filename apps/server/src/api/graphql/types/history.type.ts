/** @file What a run leaves: metrics, logs, artifacts, alerts. */
import { Float, ID, Int } from '@nestjs/graphql';
import { Alert } from '../../../core/database/entities/alert.js';
import { Artifact } from '../../../core/database/entities/artifact.js';
import { AlertAssignee, AlertCount } from '../../../core/history/alerts/alert.service.js';
import { MetricBuckets, MetricName, MetricSeries } from '../../../core/history/metrics/metric.types.js';
import { EventCount, EventCounts } from '../../../core/history/records/event-reader.js';
import { LogLine } from '../../../core/history/records/log-reader.js';
import { AlertSeverityEnum, ArtifactKindEnum, HealthRuleEnum, RoleEnum, RunEventKindEnum } from '../enums.js';
import { DateTimeScalar, NumbersScalar, SafeIntScalar } from '../scalars.js';
import { describeType, stepField } from './describe-type.js';

describeType(
  MetricBuckets,
  {
    description: 'Summaries of consecutive values of a series; entry i of every column is bucket i.',
  },
  {
    firstSteps: [() => NumbersScalar, { description: 'First step of each.' }],
    lastSteps: [() => NumbersScalar, { description: 'Last step of each.' }],
    firstTimes: [
      () => NumbersScalar,
      { description: 'Time of the first value of each, ms since the epoch.' },
    ],
    lastTimes: [() => NumbersScalar, { description: 'Time of the last value of each, ms since the epoch.' }],
    counts: [() => NumbersScalar, { description: 'Values in each, those that are no number included.' }],
    min: [() => NumbersScalar, { description: 'Least value of each; null where none is a number.' }],
    max: [() => NumbersScalar, { description: 'Greatest value of each.' }],
    mean: [() => NumbersScalar, { description: 'Mean of each.' }],
  },
);

describeType(
  MetricSeries,
  {
    description:
      'One metric of one run by step, without values that a later attempt superseded. Plot values over steps or over times.',
  },
  {
    runId: [() => ID, { description: 'The run.' }],
    name: [() => String, { description: 'Name of the metric.' }],
    count: [() => Int, { description: 'Number of values in the range.' }],
    decimated: [
      () => Boolean,
      {
        description: 'There are more values than requested points, so that only extremes are returned.',
      },
    ],
    steps: [() => NumbersScalar, { description: 'Step of each point, ascending.' }],
    times: [() => NumbersScalar, { description: 'Time of each point, ms since the epoch.' }],
    values: [
      () => NumbersScalar,
      {
        description:
          'Value of each point; of a decimated series the least and the greatest value of each bucket, each at its own step.',
      },
    ],
    buckets: [
      () => MetricBuckets,
      {
        nullable: true,
        description: 'The buckets of a decimated series; null otherwise.',
      },
    ],
  },
);

describeType(
  MetricName,
  { description: 'A metric that a run has.' },
  {
    name: [() => String, { description: 'Its name, `area/name`.' }],
    unit: [
      () => String,
      {
        nullable: true,
        description: 'Its unit, where known; docs/reference/metrics.md has them all.',
      },
    ],
    formula: [() => String, { nullable: true, description: 'How it is computed, where known.' }],
    latest: [() => Float, { nullable: true, description: 'Newest value; null when it is no number.' }],
    count: [() => Int, { description: 'Values stored, those of superseded attempts included.' }],
  },
);

/** a line may have 20,000 characters, and is read whole */
const lineCost = 10;

describeType(
  LogLine,
  { description: 'A line that the process of a run printed.' },
  {
    cursor: [() => SafeIntScalar, { description: 'Its position in the history of the run.' }],
    time: [() => DateTimeScalar, { description: 'When it was printed.' }],
    attempt: [() => Int, { description: 'Attempt that printed it.' }],
    text: [() => String, { description: 'The line.', complexity: () => lineCost }],
  },
);

describeType(
  EventCount,
  { description: 'How many records of a kind there are in a range of steps.' },
  {
    kind: [() => RunEventKindEnum, { description: 'The kind.' }],
    firstStep: stepField('First step that has one; null: they belong to no step.'),
    lastStep: stepField('Last step that has one.'),
    count: [() => Int, { description: 'How many there are.' }],
  },
);

describeType(
  EventCounts,
  { description: 'Counts of the records of a run.' },
  {
    cursor: [() => SafeIntScalar, { description: 'All up to this one are counted.' }],
    counts: [() => [EventCount], { description: 'By kind and range of steps.' }],
  },
);

describeType(
  Artifact,
  {
    description:
      'A stored file of a run: part of a checkpoint, trajectories, logs. Bytes are fetched by REST.',
  },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it belongs to.' }],
    attempt: [() => Int, { description: 'Attempt that stored it; of one path the newest counts.' }],
    kind: [() => ArtifactKindEnum, { description: 'What it holds.' }],
    path: [
      () => String,
      {
        description: 'Path inside the run, such as checkpoints/step-000010/model.safetensors.',
      },
    ],
    step: stepField('Step it belongs to; null: none.'),
    bytes: [() => SafeIntScalar, { description: 'Size in bytes.' }],
    sha256: [() => String, { description: 'Of its bytes, in hexadecimal.' }],
    createdAt: [() => DateTimeScalar, { description: 'When it was stored.' }],
  },
);

describeType(
  Alert,
  { description: 'A warning about a run.' },
  {
    id: [() => ID, { description: 'Sorts by age.' }],
    runId: [() => ID, { description: 'The run it is about.' }],
    project: [() => String, { description: 'Project of that run.' }],
    severity: [() => AlertSeverityEnum, { description: 'How severe it is.' }],
    code: [() => String, { description: 'Stable code.' }],
    message: [() => String, { description: 'What was found and what to do.' }],
    step: stepField('Step it was found at; null: none.'),
    time: [() => DateTimeScalar, { description: 'When.' }],
    acknowledgedAt: [() => DateTimeScalar, { nullable: true, description: 'When it was acknowledged.' }],
    acknowledgedBy: [
      () => String,
      { nullable: true, description: 'Name of the key it was acknowledged with.' },
    ],
    rules: [
      () => [HealthRuleEnum],
      {
        nullable: true,
        description:
          'Rules of the collapse monitor that fired; null: none, or it was raised before rules were kept.',
      },
    ],
    assigneeId: [() => ID, { nullable: true, description: 'Key that looks after it; null: nobody.' }],
    assignee: [() => String, { nullable: true, description: 'Name of that key.' }],
  },
);

describeType(
  AlertAssignee,
  { description: 'Who may look after an alert: an operator or admin key that sees its project.' },
  {
    keyId: [() => ID, { description: 'The key.' }],
    name: [() => String, { description: 'Its name.' }],
    role: [() => RoleEnum, { description: 'Its role.' }],
  },
);

describeType(
  AlertCount,
  { description: 'How many alerts have a severity.' },
  {
    severity: [() => AlertSeverityEnum, { description: 'The severity.' }],
    total: [() => Int, { description: 'Alerts of it.' }],
    unacknowledged: [() => Int, { description: 'Those not acknowledged.' }],
  },
);
