/**
 * @file Timeouts of request bodies. A request whose body is incomplete after a time is answered with 408 and its
 * connection closed; uploads may take as long as bytes arrive. The same holds for a request that was answered before its
 * body arrived.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerOptions } from '../../config/server-options.js';
import { serializeError } from '../errors/serialize-error.js';
import { respondRaw } from './raw-response.js';

type Limits = Pick<ServerOptions['http'], 'requestSeconds' | 'uploadIdleSeconds'>;

/** Applies the timeouts to all requests of a server. */
export function enforceBodyTimeouts(server: Server, limits: Limits): void {
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
    if ((length === undefined || length === '0') && coding === undefined) return;
    const type = request.headers['content-type'] ?? '';
    const isUpload = request.method === 'PUT' && type.startsWith('application/octet-stream');
    // an aborted request no longer has its socket
    const { socket } = request;
    const end = (): void => giveUp(socket, response);
    if (isUpload) watchProgress(request, response, limits, end);
    else watchEnd(request, limits, end);
  });
}

function watchEnd(request: IncomingMessage, { requestSeconds }: Limits, end: () => void): void {
  const timer = setTimeout(() => {
    if (!request.complete) end();
  }, requestSeconds * 1000);
  timer.unref();
  // complete or aborted
  request.once('close', () => clearTimeout(timer));
}

/** An upload may continue while bytes arrive and it is unanswered. */
function watchProgress(
  request: IncomingMessage,
  response: ServerResponse,
  { requestSeconds, uploadIdleSeconds }: Limits,
  end: () => void,
): void {
  const { socket } = request;
  let seen = socket.bytesRead;
  const idle = setInterval(() => {
    if (!request.complete && socket.bytesRead === seen) end();
    seen = socket.bytesRead;
  }, uploadIdleSeconds * 1000);
  idle.unref();
  response.once('finish', () => {
    if (!request.complete) setTimeout(() => request.complete || end(), requestSeconds * 1000).unref();
  });
  // a request that was answered early may never close, but its connection does
  const stop = (): void => {
    clearInterval(idle);
    request.removeListener('close', stop);
    socket.removeListener('close', stop);
  };
  request.once('close', stop);
  socket.once('close', stop);
}

function giveUp(socket: Socket, response: ServerResponse): void {
  if (response.headersSent) return socket.destroySoon();
  respondRaw(socket, serializeError(Object.assign(new Error(), { statusCode: 408 })));
}
