import { Injectable, Logger } from '@nestjs/common';
import { currentRequestId, requestScope } from '../../logging/request-scope.js';
import { type SerializedError, serializeError } from './serialize-error.js';

/** Serializes errors for clients, and logs internal ones in full. */
@Injectable()
export class ErrorReport {
  private readonly log = new Logger('error');
  private readonly listeners = new Set<(error: Pick<SerializedError, 'code'>) => void>();

  /** Serializes an error for the client; internal errors are logged with their stack. */
  serialize(thrown: unknown): SerializedError {
    const error = serializeError(thrown);
    if (error.isInternal)
      this.log.error(describe(thrown), { requestId: currentRequestId(), code: error.code });
    const scope = requestScope.getStore();
    if (scope !== undefined && error.retryAfter !== undefined) scope.retryAfter = error.retryAfter;
    for (const listener of this.listeners) listener(error);
    return error;
  }

  /** Counts a refusal that was returned as a value. */
  countRefusal(refusal: Pick<SerializedError, 'code'>): void {
    for (const listener of this.listeners) listener(refusal);
  }

  /** Calls back for every error sent to a client; for counting. */
  onError(listener: (error: Pick<SerializedError, 'code'>) => void): void {
    this.listeners.add(listener);
  }
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${describe(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
