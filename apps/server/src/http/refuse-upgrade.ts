import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ToldError } from '../observability/told-error.js';

/** Answers a request for a WebSocket that is not given, and closes its connection. */
export function refuseUpgrade(
  connection: Duplex,
  { code, message, status, retryAfter }: Omit<ToldError, 'isInternal'>,
): void {
  const body = JSON.stringify({ code, message, ...(retryAfter !== undefined && { retryAfter }) });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
  ];
  connection.on('error', () => undefined);
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
