/** @file Bodies of requests: JSON, and uploads, which are streams. */
import { AppError } from '@espalier/contracts';
import type { FastifyInstance } from 'fastify';
import { PassThrough, type Readable } from 'node:stream';
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

/**
 * Gives the bytes of a request. A reader that fails destroys them; the connection lives on for the answer, and what
 * still arrives is thrown away.
 *
 * @param body of the request: a stream when its type was application/octet-stream
 * @throws artifact.invalid_body
 */
export function uploadBody(body: unknown, path: string): Readable {
  if (typeof (body as Partial<Readable> | null)?.pipe !== 'function')
    throw new AppError(
      'artifact.invalid_body',
      `store artifact "${path.slice(0, 200)}": the body is no stream of bytes; send content-type: application/octet-stream`,
    );
  const request = body as Readable;
  const bytes = new PassThrough();
  // whoever breaks off before anybody reads must not end the server; who reads then is told all the same
  bytes.on('error', () => undefined);
  if (request.destroyed && !request.readableEnded) return bytes.destroy(brokenOff());
  request.pipe(bytes);
  request.once('error', (error) => bytes.destroy(error));
  request.once('close', () => {
    if (!request.readableEnded) bytes.destroy(brokenOff());
  });
  bytes.once('close', () => request.resume());
  return bytes;
}

const brokenOff = (): Error => new Error('the connection was closed');
