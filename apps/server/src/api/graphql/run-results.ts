/** @file What mutations about runs and jobs answer: the result, or one of the expected refusals. */
import { createUnionType } from '@nestjs/graphql';
import { InvalidInput, NotFound, NotPossible, resolveType, WrongState } from './refusal.js';
import { Job } from '../../core/database/entities/job.js';
import { RunPlan } from '../../core/runs/run-plan.type.js';
import { Run } from '../../core/database/entities/run.js';

export const createRefusals = [InvalidInput, NotPossible] as const;
export const CreateRunResult = createUnionType({
  name: 'CreateRunResult',
  description: 'The new run, with `dryRun` its plan, or why there is none.',
  types: () => [Run, RunPlan, ...createRefusals] as const,
  resolveType,
});

export const PlanRunResult = createUnionType({
  name: 'PlanRunResult',
  description: 'The resolved spec, or why it cannot be run.',
  types: () => [RunPlan, ...createRefusals] as const,
  resolveType,
});

export const forkRefusals = [InvalidInput, NotFound, NotPossible] as const;
export const ForkRunResult = createUnionType({
  name: 'ForkRunResult',
  description: 'The new run, with `dryRun` its plan, or why there is none.',
  types: () => [Run, RunPlan, ...forkRefusals] as const,
  resolveType,
});

export const EvaluateRunResult = createUnionType({
  name: 'EvaluateRunResult',
  description: 'The job that evaluates the checkpoint, or why there is none.',
  types: () => [Job, ...forkRefusals] as const,
  resolveType,
});

export const cancelEvaluationRefusals = [NotFound, WrongState] as const;
export const CancelEvaluationResult = createUnionType({
  name: 'CancelEvaluationResult',
  description: 'The job of the evaluation, or why nothing was changed.',
  types: () => [Job, ...cancelEvaluationRefusals] as const,
  resolveType,
});

export const controlRefusals = [NotFound, WrongState, NotPossible] as const;
export const ControlRunResult = createUnionType({
  name: 'ControlRunResult',
  description: 'The run, or why nothing was changed.',
  types: () => [Run, ...controlRefusals] as const,
  resolveType,
});

export const UpdateRunResult = createUnionType({
  name: 'UpdateRunResult',
  description: 'The updated run, or why nothing was changed.',
  types: () => [Run, ...forkRefusals] as const,
  resolveType,
});
