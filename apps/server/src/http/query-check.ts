/**
 * @file Query parameters that a route does not know are refused, so that a filter with a wrong name never gives
 * everything. What a route knows is what it says of itself for the document of REST: one list for both.
 */
import { AppError } from '@espalier/contracts';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { suggestNames } from './known-names.js';
import { queryParametersOf } from './open-api-notes.js';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';

/** Checks the query of every request that reads under /api. */
@Injectable()
export class QueryCheck implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') {
      const { method, url, query } = context.switchToHttp().getRequest<FastifyRequest>();
      const address = url.split('?')[0] ?? '';
      if ((method === 'GET' || method === 'HEAD') && address.startsWith('/api/'))
        requireKnown(
          `${method} ${address}`,
          Object.keys(query ?? {}),
          queryParametersOf(context.getHandler()),
        );
    }
    return next.handle();
  }
}

function requireKnown(attempt: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AppError(
    'server.invalid_query',
    `${attempt.slice(0, 200)}: unknown parameter ${JSON.stringify(unknown.slice(0, 100))}; ${suggestNames([unknown], known)}`,
    { details: { unknown, known } },
  );
}
