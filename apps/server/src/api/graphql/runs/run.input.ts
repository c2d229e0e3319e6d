/** @file Inputs of mutations about runs, and the filter of their list: the schemas of run-request.ts, which REST shares. */
import { ID } from '@nestjs/graphql';
import { z } from 'zod';
import * as requests from '../../../core/runs/run-request.js';
import { DeviceKindEnum, JobStateEnum, SplitEnum } from '../enums.js';
import { JsonScalar } from '../scalars.js';
import { idOf, inputOfSchema } from '../types/from-schema.js';

const ofRun = z.strictObject({ runId: idOf('run') });
const types = { runId: ID };

const NeedsInput = inputOfSchema('NeedsInput', 'The devices that a run needs.', requests.wantedNeeds, {
  kind: DeviceKindEnum,
});

export const CreateRunInput = inputOfSchema(
  'CreateRunInput',
  'A run to create: give `source` or `spec`.',
  requests.runRequest,
  { spec: JsonScalar, needs: NeedsInput },
);
export type CreateRunInput = InstanceType<typeof CreateRunInput>;

export const PlanRunInput = inputOfSchema(
  'PlanRunInput',
  'A run to plan: give `source` or `spec`.',
  requests.planRequest,
  { spec: JsonScalar, needs: NeedsInput },
);
export type PlanRunInput = InstanceType<typeof PlanRunInput>;

export const ForkRunInput = inputOfSchema(
  'ForkRunInput',
  'A run to create from a checkpoint of another.',
  ofRun.extend(requests.forkRequest.shape),
  { ...types, needs: NeedsInput },
);
export type ForkRunInput = InstanceType<typeof ForkRunInput>;

export const PlanForkInput = inputOfSchema(
  'PlanForkInput',
  'A fork to plan.',
  ofRun.extend(requests.planForkRequest.shape),
  { ...types, needs: NeedsInput },
);
export type PlanForkInput = InstanceType<typeof PlanForkInput>;

const RescoringInput = inputOfSchema(
  'RescoringInput',
  'What scores stored trajectories again: other rewards, the checkpoint, or both.',
  requests.rescoring,
  { rewards: JsonScalar },
);

export const EvaluateRunInput = inputOfSchema(
  'EvaluateRunInput',
  'A checkpoint to evaluate, or stored trajectories to score again.',
  ofRun.extend(requests.evaluateRequest.shape),
  { ...types, split: SplitEnum, rescore: RescoringInput },
);
export type EvaluateRunInput = InstanceType<typeof EvaluateRunInput>;

export const EditRunInput = inputOfSchema(
  'EditRunInput',
  'Annotations and priority of a run; fields that are not given stay as they are.',
  ofRun.extend(requests.editRequest.shape),
  types,
);
export type EditRunInput = InstanceType<typeof EditRunInput>;

export const PauseRunInput = inputOfSchema('PauseRunInput', 'A run to pause.', ofRun, types);
export type PauseRunInput = InstanceType<typeof PauseRunInput>;

export const ResumeRunInput = inputOfSchema(
  'ResumeRunInput',
  'A run to resume.',
  ofRun.extend(requests.resumeRequest.shape),
  types,
);
export type ResumeRunInput = InstanceType<typeof ResumeRunInput>;

export const CancelRunInput = inputOfSchema(
  'CancelRunInput',
  'A run to cancel.',
  ofRun.extend(requests.cancelRequest.shape),
  types,
);
export type CancelRunInput = InstanceType<typeof CancelRunInput>;

export const CancelEvaluationInput = inputOfSchema(
  'CancelEvaluationInput',
  'An evaluation to cancel.',
  ofRun.extend({ jobId: idOf('job of the evaluation'), ...requests.cancelRequest.shape }),
  { ...types, jobId: ID },
);
export type CancelEvaluationInput = InstanceType<typeof CancelEvaluationInput>;

export const DeleteRunInput = inputOfSchema('DeleteRunInput', 'A run to delete.', ofRun, types);
export type DeleteRunInput = InstanceType<typeof DeleteRunInput>;

export const RunFilter = inputOfSchema(
  'RunFilter',
  'Which runs; all conditions hold at once.',
  requests.runConditions,
  { ids: ID, states: JobStateEnum, parentRunId: ID },
);
export type RunFilter = InstanceType<typeof RunFilter>;
