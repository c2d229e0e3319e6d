/** @file Expected errors of operations on runs. */
import { AppError, isAppError } from '@espalier/contracts';
import { findError } from '@espalier/contracts/error-codes';
import type { JobState } from '@espalier/protocol';

/** Not possible in the state a run is in. */
export const wrongState = (message: string, state: JobState): AppError =>
  new AppError('run.wrong_state', message, { details: { state } });

/** Not possible for another expected reason. */
export const notPossible = (message: string, details: Record<string, unknown> = {}): AppError =>
  new AppError('run.not_possible', message, { details });

/** Checks whether an error means that a spec or another input is invalid, not that something broke. */
export const isInvalidInput = (error: unknown): error is AppError =>
  isAppError(error) && findError(error.code)?.refusals?.includes('InvalidInput') === true;

/** The problems that an error about a spec lists, a sentence each. */
export function problemsOf({ message, details }: AppError): string[] {
  const listed = details['problems'] ?? details['flaws'];
  const problems = (Array.isArray(listed) ? (listed as unknown[]) : []).flatMap((problem) => {
    const text = typeof problem === 'string' ? problem : (problem as { message?: unknown }).message;
    return typeof text === 'string' ? [text] : [];
  });
  return problems.length > 0 ? problems : [message];
}

/** Refuses a run whose import has not ended. @throws run.not_possible */
export function validateComplete({ id, state }: RunState, verb: string): void {
  if (state !== 'importing') return;
  throw notPossible(
    `${verb} run ${id}: its import has not ended; run the same import again to complete it first`,
  );
}

/** Refuses what needs the weights of a run where they are not here. @throws run.not_possible */
export function validateWeights(
  { id, spec }: { readonly id: string; readonly spec: Readonly<Record<string, unknown>> },
  what: string,
  remedy: string,
): void {
  const engine = spec['engine'] as { readonly url?: string } | undefined;
  if (engine?.url === undefined) return;
  throw notPossible(
    `${what} run ${id}: its weights are on ${engine.url}, the server that trained them, and were not downloaded; ${remedy}`,
  );
}

interface RunState {
  readonly id: string;
  readonly state: JobState;
}
