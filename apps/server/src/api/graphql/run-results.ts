/** @file What mutations about runs answer: the result, or one of the expected refusals. */
import { createUnionType } from '@nestjs/graphql';
import { InvalidSpec, NotPossible, WrongState } from './refusal.js';
import { Job } from '../../core/database/entities/job.js';
import { RunPlan } from '../../core/runs/run-plan.type.js';
import { Run } from '../../core/database/entities/run.js';

type AnyResult = Run | RunPlan | Job | InvalidSpec | WrongState | NotPossible;

function typeOf(value: object): string {
  if ('problems' in value) return 'InvalidSpec';
  if ('code' in value) return 'state' in value ? 'WrongState' : 'NotPossible';
  if ('tries' in value) return 'Job';
  return 'sources' in value ? 'RunPlan' : 'Run';
}
const resolveType = (value: AnyResult): string => typeOf(value);

export const CreateRunResult = createUnionType({
  name: 'CreateRunResult',
  description: 'The run that was made; with `dryRun` what it would be; or why there is none.',
  types: () => [Run, RunPlan, InvalidSpec, WrongState, NotPossible] as const,
  resolveType,
});

export const PlanRunResult = createUnionType({
  name: 'PlanRunResult',
  description: 'What the spec comes to, or why it cannot be run.',
  types: () => [RunPlan, InvalidSpec, WrongState, NotPossible] as const,
  resolveType,
});

export const RunResult = createUnionType({
  name: 'RunResult',
  description: 'The run as it is now, or why nothing was changed.',
  types: () => [Run, InvalidSpec, WrongState, NotPossible] as const,
  resolveType,
});

export const EvaluateRunResult = createUnionType({
  name: 'EvaluateRunResult',
  description: 'The job that evaluates the checkpoint, or why there is none.',
  types: () => [Job, InvalidSpec, WrongState, NotPossible] as const,
  resolveType,
});
