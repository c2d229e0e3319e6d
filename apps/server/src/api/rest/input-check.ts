/**
 * @file Validates what all requests have in common: no unknown query parameters, so that a misspelt filter never returns
 * everything, and no characters that the databases cannot store. The parameters of a route are those of its OpenAPI
 * description.
 */
import { AppError } from '@espalier/contracts';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Observable } from 'rxjs';
import { suggestNames } from '../../core/input/describe-issue.js';
import { validateStorable } from '../http/storable-text.js';
import { queryParametersOf } from './open-api/open-api.js';

/** Checks the address and the query of every request under /api; bodies are read by their schemas. */
@Injectable()
export class InputCheck implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() === 'http') {
      const { method, url, query, params } = context.switchToHttp().getRequest<FastifyRequest>();
      const address = url.split('?')[0] ?? '';
      const operation = `${method} ${address}`.slice(0, 200);
      if ((method === 'GET' || method === 'HEAD') && address.startsWith('/api/'))
        validateKnown(operation, Object.keys(query ?? {}), queryParametersOf(context.getHandler()));
      validateStorable(operation, { query, params });
    }
    return next.handle();
  }
}

function validateKnown(operation: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AppError(
    'server.invalid_input',
    `${operation}: unknown parameter ${JSON.stringify(unknown.slice(0, 100))}; ${suggestNames([unknown], known)}`,
    { details: { unknown, known } },
  );
}
