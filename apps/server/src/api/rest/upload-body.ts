/** @file The body of an upload, readable in such a way that a failed reader can still answer the sender. */
import { PassThrough, type Readable } from 'node:stream';
import { AppError } from '@espalier/contracts';

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
