import { Injectable, Logger } from '@nestjs/common';
import { currentRequestId, requestScope } from '../../logging/request-scope.js';
import { type ToldError, toToldError } from './told-error.js';

/** Tells clients what they may know of an error, and the log all of it. */
@Injectable()
export class ErrorReport {
  private readonly log = new Logger('error');
  private readonly listeners = new Set<(told: Pick<ToldError, 'code'>) => void>();

  /** Turns what was thrown into what is told; failures of ours are logged with their stack. */
  tell(thrown: unknown): ToldError {
    const told = toToldError(thrown);
    if (told.isInternal) this.log.error(describe(thrown), { requestId: currentRequestId(), code: told.code });
    const scope = requestScope.getStore();
    if (scope !== undefined && told.retryAfter !== undefined) scope.retryAfter = told.retryAfter;
    for (const listener of this.listeners) listener(told);
    return told;
  }

  /** Says that a refusal was told as a value. */
  answered(refusal: Pick<ToldError, 'code'>): void {
    for (const listener of this.listeners) listener(refusal);
  }

  /** Hears of every error that is told; for counting. */
  onTold(listener: (told: Pick<ToldError, 'code'>) => void): void {
    this.listeners.add(listener);
  }
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${describe(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
