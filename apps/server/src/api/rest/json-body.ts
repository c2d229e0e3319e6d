import { AppError } from '@espalier/contracts';
import type { FastifyInstance } from 'fastify';

/** arrays and objects in each other; what a plugin defines is a tenth of that, and a stack ends at some thousand */
const maxDepth = 256;

/** Reads JSON bodies as Fastify does, but takes an empty one as none: many clients name a type without sending any. */
export function addJsonParser(server: FastifyInstance): void {
  const parse = server.getDefaultJsonParser('error', 'error');
  server.removeContentTypeParser('application/json');
  server.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    void parse(request, body, (error, value) => {
      try {
        checkDepth(value);
        done(error, value);
      } catch (tooDeep) {
        done(tooDeep as Error, undefined);
      }
    });
  });
}

/**
 * Refuses a value from JSON that nests so deep that whoever recurses into it would exhaust the stack.
 *
 * @throws server.malformed
 */
export function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      throw new AppError(
        'server.malformed',
        `read the request: its JSON is nested more than ${maxDepth} deep; send it flatter`,
      );
    level = level.filter(isNested).flatMap((each) => Object.values(each));
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
