/** @file Refusals on connections without a complete request, in the form of all others. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { SerializedError } from '../errors/serialize-error.js';

/** Answers with a refusal and ends the connection. */
export function respondRaw(
  connection: Duplex,
  { status, code, message, retryAfter }: Omit<SerializedError, 'isInternal'>,
): void {
  if (connection.destroyed || !connection.writable) return;
  const requestId = randomUUID();
  const body = JSON.stringify({ code, message, requestId, ...(retryAfter !== undefined && { retryAfter }) });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${requestId}`,
    'x-content-type-options: nosniff',
    ...(retryAfter === undefined ? [] : [`retry-after: ${retryAfter}`]),
  ];
  connection.on('error', () => undefined);
  connection.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** Makes the refusal of bytes that Node could not parse as a request. */
export function toClientError(error: Error & { code?: string }): Error {
  const finding = `it is not HTTP/1.1 (${error.message.replace(/^Parse Error: /, '').slice(0, 200)})`;
  return Object.assign(new Error(finding), { statusCode: statuses[error.code ?? ''] ?? 400 });
}

const statuses: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};
