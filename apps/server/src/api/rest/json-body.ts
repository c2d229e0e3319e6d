import type { FastifyInstance } from 'fastify';
import { checkDepth } from '../../core/input/parse-input.js';

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
