/** @file What mutations about jobs answer: the job, or why nothing was changed. */
import { type ErrorCode, isAppError } from '@espalier/contracts';
import { createUnionType } from '@nestjs/graphql';
import { NotPossible, WrongState } from './refusal.js';
import { Job } from '../../core/database/entities/job.js';

export const JobResult = createUnionType({
  name: 'JobResult',
  description: 'The job as it is now, or why nothing was changed.',
  types: () => [Job, WrongState, NotPossible] as const,
  resolveType: (value: object) =>
    value instanceof WrongState ? 'WrongState' : value instanceof NotPossible ? 'NotPossible' : 'Job',
});

const expected: readonly ErrorCode[] = [
  'server.not_found',
  'job.bad_priority',
  'plugin.changed',
  'run.not_possible',
];

/** Makes an expected refusal of what was thrown; other errors are thrown on. */
export function refuseJob(error: unknown): WrongState | NotPossible {
  if (!isAppError(error)) throw error;
  const { code, message, details } = error;
  if (code === 'job.wrong_state')
    return Object.assign(new WrongState(), { code, message, state: String(details['state']) });
  if (expected.includes(code)) return Object.assign(new NotPossible(), { code, message, details: null });
  throw error;
}
