/** @file What mutations about runs and jobs return: the result, or one of the expected refusals. */
import { InvalidInput, NotFound, NotPossible, resultOf, WrongState } from '../refusal.js';
import { Job } from '../../../core/database/entities/job.js';
import { RunPlanType } from '../types/run-plan.type.js';
import { Run } from '../../../core/database/entities/run.js';

export const createRefusals = [InvalidInput, NotPossible] as const;
export const forkRefusals = [InvalidInput, NotFound, NotPossible] as const;
export const cancelEvaluationRefusals = [NotFound, WrongState] as const;
export const controlRefusals = [NotFound, WrongState, NotPossible] as const;

const created = 'The new run, with `dryRun` its plan, or why there is none.';
export const CreateRunResult = resultOf('CreateRunResult', created, Run, RunPlanType, ...createRefusals);
export const ForkRunResult = resultOf('ForkRunResult', created, Run, RunPlanType, ...forkRefusals);

export const PlanRunResult = resultOf(
  'PlanRunResult',
  'The resolved spec, or why it cannot be run.',
  RunPlanType,
  ...createRefusals,
);

export const EvaluateRunResult = resultOf(
  'EvaluateRunResult',
  'The job that evaluates the checkpoint, or why there is none.',
  Job,
  ...forkRefusals,
);

export const CancelEvaluationResult = resultOf(
  'CancelEvaluationResult',
  'The job of the evaluation, or why nothing was changed.',
  Job,
  ...cancelEvaluationRefusals,
);

export const ControlRunResult = resultOf(
  'ControlRunResult',
  'The run, or why nothing was changed.',
  Run,
  ...controlRefusals,
);

export const UpdateRunResult = resultOf(
  'UpdateRunResult',
  'The updated run, or why nothing was changed.',
  Run,
  ...forkRefusals,
);
