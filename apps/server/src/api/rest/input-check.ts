/**
 * @file What no request may hold, whatever it asks for: query parameters that a route does not know, so that a filter
 * with a wrong name never gives everything; and characters that the databases cannot store. What a route knows is what
 * it says of itself for the document of REST: one list for both.
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
        requireKnown(operation, Object.keys(query ?? {}), queryParametersOf(context.getHandler()));
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
    if (typeof value === 'string') requireText(operation, value);
    else if (typeof value === 'object' && value !== null)
      for (const [name, part] of Object.entries(value)) {
        requireText(operation, name);
        left.push(part);
      }
  }
}

/** The same of the texts that stand in a document of GraphQL. @throws server.invalid_query */
export function validateStorableDocument(document: DocumentNode): void {
  visit(document, {
    StringValue: ({ value }) => requireText('read the operation', value),
  });
}

function requireText(operation: string, value: string): void {
  if (storable.safeParse(value).success) return;
  throw new AppError(
    'server.invalid_query',
    `${operation}: ${JSON.stringify(value.slice(0, 100))} has control characters or half a character; send text without them`,
  );
}

function requireKnown(operation: string, given: readonly string[], known: readonly string[]): void {
  const unknown = given.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AppError(
    'server.invalid_query',
    `${operation}: unknown parameter ${JSON.stringify(unknown.slice(0, 100))}; ${suggestNames([unknown], known)}`,
    { details: { unknown, known } },
  );
}
