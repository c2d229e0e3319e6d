/** @file What mutations about runs answer: the result, or one of the expected refusals. */
import { isAppError } from '@espalier/contracts';
import type { JobState } from '@espalier/protocol';
import { createUnionType } from '@nestjs/graphql';
import { InvalidSpec, NotPossible, WrongState } from '../graphql/refusal.js';
import { Job } from '../jobs/job.entity.js';
import { RunPlan } from './run-plan.type.js';
import { Run } from './run.entity.js';

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

export const invalidSpec = (code: string, message: string, problems: string[]): InvalidSpec =>
  Object.assign(new InvalidSpec(), { code, message, problems });

export const wrongState = (message: string, state: JobState): WrongState =>
  Object.assign(new WrongState(), { code: 'run.wrong_state', message, state });

export const notPossible = (
  code: string,
  message: string,
  details: Record<string, unknown> | null = null,
): NotPossible => Object.assign(new NotPossible(), { code, message, details });

/** Tells a refusal from a result. */
export function isRefusal(value: object): value is InvalidSpec | WrongState | NotPossible {
  return value instanceof InvalidSpec || value instanceof WrongState || value instanceof NotPossible;
}

/** Areas of errors that say that a spec is wrong, not that something broke. */
const specAreas = /^(config|contracts|model)\.|^plugin\.(not_found|failed|timeout|invalid_definition)$/;

/** Makes the answer to a spec that was refused; other errors are thrown on. */
export function refuseSpec(error: unknown): InvalidSpec {
  if (!isAppError(error) || !specAreas.test(error.code)) throw error;
  const { problems } = error.details;
  const listed = Array.isArray(problems) ? (problems as { message?: unknown }[]) : [];
  const messages = listed.flatMap(({ message }) => (typeof message === 'string' ? [message] : []));
  return invalidSpec(error.code, error.message, messages.length > 0 ? messages : [error.message]);
}
