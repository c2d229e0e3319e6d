/** @file What mutations about runs and jobs return: the result, or one of the expected refusals. */
import { InvalidInput, NotFound, NotPossible, resultOf, WrongState } from '../refusal.js';
import { Job } from '../../../core/database/entities/job.js';
import { RunPlanType } from '../types/run-plan.type.js';
import { Run } from '../../../core/database/entities/run.js';

export const createRefusals = [InvalidInput, NotPossible] as const;
export const inputRefusals = [InvalidInput, NotFound, NotPossible] as const;
export const cancelEvaluationRefusals = [NotFound, WrongState] as const;
export const controlRefusals = [NotFound, WrongState, NotPossible] as const;

const created = 'The new run, or why there is none.';
export const CreateRunResult = resultOf('CreateRunResult', created, Run, ...createRefusals);
export const ForkRunResult = resultOf('ForkRunResult', created, Run, ...inputRefusals);

export const PlanRunResult = resultOf(
  'PlanRunResult',
  'The resolved spec, or why it cannot be run.',
  RunPlanType,
  ...createRefusals,
);

export const PlanForkResult = resultOf(
  'PlanForkResult',
  'The resolved spec, its checkpoint and what it changes, or why it cannot be run.',
  RunPlanType,
  ...inputRefusals,
);

export const EvaluateRunResult = resultOf(
  'EvaluateRunResult',
  'The job that evaluates the checkpoint, or why there is none.',
  Job,
  ...inputRefusals,
);

export const CancelEvaluationResult = resultOf(
  'CancelEvaluationResult',
  'The job of the evaluation, or why nothing was changed.',
  Job,
  ...cancelEvaluationRefusals,
);

/** Of pauseRun, resumeRun and cancelRun. */
export const ControlRunResult = resultOf(
  'ControlRunResult',
  'The run, or why nothing was changed.',
  Run,
  ...controlRefusals,
);

export const DeleteRunResult = resultOf(
  'DeleteRunResult',
  'The deleted run, or why it was not deleted.',
  Run,
  ...controlRefusals,
);

export const EditRunResult = resultOf(
  'EditRunResult',
  'The changed run, or why nothing was changed.',
  Run,
  ...inputRefusals,
);
