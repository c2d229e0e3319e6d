/**
 * @file Validates what all requests have in common: no unknown query parameters, so that a misspelt filter never returns
 * everything, and no characters that the databases cannot store. The parameters of a route are those of its OpenAPI
 * description.
 */
import { AppError } from '@espalier/contracts';
import { text } from '@espalier/protocol/bounds';
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type DocumentNode, visit } from 'graphql';
import type { Observable } from 'rxjs';
import { suggestNames } from '../../core/input/describe-issue.js';
import { queryParametersOf } from './open-api.js';

const storable = text(Number.MAX_SAFE_INTEGER, { isMultiline: true });

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

/**
 * Refuses control characters and lone surrogates in every text, at any depth.
 *
 * @throws server.invalid_query
 */
export function validateStorable(operation: string, given: unknown): void {
  const left: unknown[] = [given];
  for (let value = left.pop(); value !== undefined || left.length > 0; value = left.pop()) {
    if (typeof value === 'string') validateText(operation, value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) {
        validateText(operation, name);
        left.push(part);
      }
  }
}

/** The same for the strings in a GraphQL document. @throws server.invalid_query */
export function validateStorableDocument(document: DocumentNode): void {
  visit(document, {
    StringValue: ({ value }) => validateText('read the operation', value),
  });
}

function validateText(operation: string, value: string): void {
  if (storable.safeParse(value).success) return;
  throw new AppError(
    'server.invalid_query',
    `${operation}: ${JSON.stringify(value.slice(0, 100))} has control characters or half a character; send text without them`,
  );
}

function validateKnown(operation: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AppError(
    'server.invalid_query',
    `${operation}: unknown parameter ${JSON.stringify(unknown.slice(0, 100))}; ${suggestNames([unknown], known)}`,
    { details: { unknown, known } },
  );
}
