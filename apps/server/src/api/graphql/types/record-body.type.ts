/** @file The bodies of records, as a union with a member for each kind. */
import type { Type } from '@nestjs/common';
import { createUnionType, ID, type Union } from '@nestjs/graphql';
import { stepOrNull } from '../../../core/database/columns.js';
import type { RunRecord } from '../../../core/database/entities/run-record.js';
import { recordBodies, type RecordKind } from '../../../core/history/records/record-bodies.js';
import {
  ArtifactKindEnum,
  HealthStateEnum,
  MonitorActionEnum,
  AskedEnum,
  JobKindEnum,
  JobStateEnum,
  RunOutcomeEnum,
  StopReasonEnum,
} from '../enums.js';
import { typeOfSchema } from './from-schema.js';
import {
  ChangedSettingType,
  EvaluationResultType,
  HealthFindingType,
  HealthSummaryType,
  LibraryVersion,
  PluginVersionType,
  toVersions,
} from './wire.type.js';

type StoredRecord = Omit<RunRecord, 'runId'>;

const names: Readonly<Record<RecordKind, string>> = {
  state: 'StateEvent',
  'run-started': 'RunStartedEvent',
  'run-ended': 'RunEndedEvent',
  'process-started': 'ProcessStartedEvent',
  'process-ended': 'ProcessEndedEvent',
  trajectory: 'TrajectoryEvent',
  checkpoint: 'CheckpointEvent',
  artifact: 'ArtifactEvent',
  evaluated: 'EvaluatedEvent',
  level: 'LevelEvent',
  warning: 'WarningEvent',
  monitor: 'MonitorEvent',
  log: 'LogEvent',
  note: 'NoteEvent',
};

/** Types of fields that a schema of the wire does not name. */
const fieldTypes: Readonly<Partial<Record<RecordKind, Readonly<Record<string, object>>>>> = {
  state: { from: JobStateEnum, to: JobStateEnum, job: JobKindEnum, jobId: ID },
  monitor: {
    state: HealthStateEnum,
    previous: HealthStateEnum,
    findings: HealthFindingType,
    action: MonitorActionEnum,
    changes: ChangedSettingType,
  },
  'run-ended': { outcome: RunOutcomeEnum, health: HealthSummaryType },
  'process-started': { versions: [LibraryVersion], plugins: PluginVersionType },
  'process-ended': { asked: AskedEnum },
  trajectory: { id: ID, stopReason: StopReasonEnum },
  artifact: { artifact: ArtifactKindEnum },
  evaluated: { result: EvaluationResultType },
};

const kinds = Object.keys(recordBodies) as RecordKind[];
const types = kinds.map((kind): Type<object> =>
  typeOfSchema(
    names[kind],
    `The body of a record of kind \`${kind}\`.`,
    recordBodies[kind],
    fieldTypes[kind],
  ),
);

export const RunEventBody: Union<readonly Type<object>[]> = createUnionType({
  name: 'RunEventBody',
  description: 'What a record says, by its kind.',
  types: () => types,
  resolveType: ({ __typename }: { __typename: string }) => __typename,
});

/** Converts a stored record. */
export const toEventRecord = ({ step, attempt, body, kind, ...record }: StoredRecord) => ({
  cursor: record.cursor,
  time: record.time,
  kind,
  body: toEventBody(kind as RecordKind, body),
  step: stepOrNull(step),
  attempt: attempt === 0 ? null : attempt,
});

/** Makes the body of a record a member of the union. */
function toEventBody(kind: RecordKind, body: Readonly<Record<string, unknown>>): object {
  const { versions } = body;
  const listed = versions === undefined ? {} : { versions: toVersions(versions as Record<string, string>) };
  return { ...body, ...listed, __typename: names[kind] };
}
