/**
 * @file Serializes anything that was thrown: a stable code, a message, a status. Errors that are not public become
 * `server.internal`; their details go to the log only.
 */
import { isAppError } from '@espalier/contracts';
import { errorCodes, findError } from '@espalier/contracts/error-codes';
import { HttpException } from '@nestjs/common';
import { GraphQLError } from 'graphql';
import { toDatabaseError } from '../../core/database/open/database-error.js';

export interface SerializedError {
  readonly code: string;
  readonly message: string;
  readonly status: number;
  /** a failure of the server or its dependencies, to be logged in full */
  readonly isInternal: boolean;
  /** seconds after which a retry may succeed; absent: unknown */
  readonly retryAfter?: number;
}

const internal: SerializedError = {
  code: 'server.internal',
  message: 'answer: the server failed; its log says why, under this request id',
  status: 500,
  isInternal: true,
};

const byStatus: Readonly<Record<number, readonly [string, string]>> = {
  404: ['server.not_found', 'there is no such address; /docs lists all of them'],
  405: ['server.not_allowed', 'this address does not take that method; /docs lists all of them'],
  408: ['server.malformed', 'it did not arrive in time; send it again'],
  413: ['server.too_large', 'the body is larger than this address takes'],
  414: ['server.too_large', 'the address is too long'],
  415: [
    'server.unsupported_media_type',
    'the body is of a type this address does not take; send content-type: application/json',
  ],
  431: ['server.too_large', 'the headers are too large'],
  503: ['server.shutting_down', 'the server is about to stop; try again in a moment'],
};

/** Reduces an error to what a client may see. */
export function serializeError(thrown: unknown): SerializedError {
  const error = unwrap(thrown);
  if (isAppError(error)) {
    const { code, message, details } = error;
    const status = findError(code)?.status;
    if (status === undefined) return internal;
    const serialized = { code, message, status, isInternal: false };
    const retryAfter = details['retryAfter'];
    return typeof retryAfter === 'number' ? { ...serialized, retryAfter } : serialized;
  }
  if (error instanceof GraphQLError) {
    return { code: graphqlCode(error), message: error.message, status: 400, isInternal: false };
  }
  const status = statusIn(error);
  if (status !== undefined) return fromStatus(status, error as Error);
  const database = toDatabaseError(error);
  if (database === undefined) return internal;
  const { code, message } = database;
  return { code, message, status: errorCodes[code].status ?? internal.status, isInternal: true };
}

function unwrap(error: unknown): unknown {
  return error instanceof GraphQLError && error.originalError !== undefined && error.originalError !== null
    ? unwrap(error.originalError)
    : error;
}

/** Our codes for those of graphql-js and Apollo. */
function graphqlCode(error: GraphQLError): string {
  const code = error.extensions['code'];
  if (/more (that|than) \d+ tokens/.test(error.message)) return 'server.too_large';
  if (typeof code === 'string' && code.includes('.')) return code;
  if (/^Maximum introspection depth/.test(error.message)) return 'graphql.too_deep';
  const isUnread =
    code === 'GRAPHQL_PARSE_FAILED' || code === 'BAD_REQUEST' || /^Syntax Error/.test(error.message);
  return isUnread ? 'server.malformed' : 'graphql.invalid';
}

/** Status of an error of Nest or Fastify, or of a library that follows their convention. */
function statusIn(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = error instanceof Error ? (error as Error & { statusCode?: unknown }).statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : undefined;
}

function fromStatus(status: number, error: Error): SerializedError {
  if (status >= 500 && status !== 503) return internal;
  const [code, finding] = byStatus[status] ?? ['server.malformed', sentenceOf(error)];
  return { code, message: `read the request: ${finding}`, status, isInternal: false };
}

/** Nest puts the findings of its validation into the body of the exception. */
function sentenceOf(error: Error): string {
  const body = error instanceof HttpException ? error.getResponse() : undefined;
  const found = typeof body === 'object' && 'message' in body ? body.message : error.message;
  return (Array.isArray(found) ? found.map(String).join('; ') : String(found)).slice(0, 2000);
}
