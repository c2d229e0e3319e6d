/** @file Bodies of requests: JSON, with the key of the header `idempotency-key`, and uploads, which are streams. */
import { AppError } from '@espalier/contracts';
import type { FastifyInstance } from 'fastify';
import { PassThrough, type Readable } from 'node:stream';
import { z } from 'zod';
import { checkDepth } from '../../core/input/parse-input.js';
import { idempotencyKey } from '../../core/runs/run-request.js';

/** Parses JSON as Fastify does, but accepts an empty body: many clients send a content type without one. */
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
 * Returns the bytes of a request. A reader that fails destroys the stream; the connection stays open for the response, and
 * the remaining bytes are discarded.
 *
 * @param body of the request: a stream when its type was application/octet-stream
 * @throws server.unsupported_media_type
 */
export function uploadBody(body: unknown, path: string): Readable {
  if (typeof (body as Partial<Readable> | null)?.pipe !== 'function')
    throw new AppError(
      'server.unsupported_media_type',
      `store artifact "${path.slice(0, 200)}": the body is no stream of bytes; send content-type: application/octet-stream`,
    );
  const request = body as Readable;
  const bytes = new PassThrough();
  // an abort before the first read must not crash the server; a later reader still gets the error
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

const idempotencyHeaderName = 'idempotency-key';

/** The header as a part of the OpenAPI document. */
export const idempotencyHeader = z.object({ [idempotencyHeaderName]: idempotencyKey });

/** Copies the key from the header into the body. */
export function withIdempotencyKey(
  body: unknown,
  headers: Readonly<Record<string, string | string[] | undefined>>,
): unknown {
  const key = headers[idempotencyHeaderName];
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  return key === undefined || !isObject ? body : { ...body, idempotencyKey: key };
}
