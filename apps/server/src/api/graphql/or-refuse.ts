/** @file Makes expected refusals, which services throw, members of the unions that mutations answer. */
import { type AppError, type ErrorCode, isAppError } from '@espalier/contracts';
import { isSpecError, problemsOf } from '../../core/runs/refusals.js';
import { InvalidSpec, NotPossible, WrongState } from './refusal.js';

const always: readonly ErrorCode[] = [
  'access.denied',
  'server.not_found',
  'run.not_possible',
  'job.bad_priority',
];

/**
 * Does the work of a mutation; an expected refusal is its answer, anything else is thrown on.
 *
 * @param also further codes that this mutation expects
 */
export async function orRefuse<T>(
  work: () => Promise<T>,
  also: readonly ErrorCode[] = [],
): Promise<T | InvalidSpec | WrongState | NotPossible> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, details } = error;
    if (isSpecError(error))
      return Object.assign(new InvalidSpec(), { code, message, problems: problemsOf(error) });
    if (code === 'job.wrong_state' || code === 'run.wrong_state')
      return Object.assign(new WrongState(), { code, message, state: details['state'] });
    return notPossible(error, [...always, ...also]);
  }
}

/** Does the same for a mutation that expects only these refusals, none of them about a spec or a state. */
export async function orNotPossible<T>(
  work: () => Promise<T>,
  codes: readonly ErrorCode[],
): Promise<T | NotPossible> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    return notPossible(error, codes);
  }
}

function notPossible(error: AppError, codes: readonly ErrorCode[]): NotPossible {
  const { code, message, details } = error;
  if (!codes.includes(code)) throw error;
  return Object.assign(new NotPossible(), {
    code,
    message,
    details: Object.keys(details).length > 0 ? details : null,
  });
}

/** Tells the members of a union apart. @param result name of the type that is no refusal */
export const resolveRefusal =
  (result: string) =>
  (value: object): string =>
    value instanceof InvalidSpec || value instanceof WrongState || value instanceof NotPossible
      ? value.constructor.name
      : result;
