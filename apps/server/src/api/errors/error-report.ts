import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  Logger,
  type NestInterceptor,
} from '@nestjs/common';
import { type Observable, tap } from 'rxjs';
import { currentRequestId, requestScope } from '../../logging/request-scope.js';
import { Refusal } from '../graphql/refusal.js';
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

/** Counts the refusals that GraphQL returns as values; over REST they are thrown and counted by the filter. */
@Injectable()
export class RefusalInterceptor implements NestInterceptor {
  constructor(private readonly report: ErrorReport) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType<string>() !== 'graphql') return next.handle();
    return next.handle().pipe(
      tap((value: unknown) => {
        if (value instanceof Refusal) this.report.countRefusal(value);
      }),
    );
  }
}
