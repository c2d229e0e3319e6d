import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Observable, tap } from 'rxjs';
import { Refusal } from '../graphql/refusal.js';
import { ErrorReport } from './error-report.js';

/** Counts the expected refusals that GraphQL answers as values; over REST the same are thrown, and counted there. */
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
