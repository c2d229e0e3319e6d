/** @file The address and key of a server, and the errors that all transports share. */
import { AppError } from '@espalier/contracts';

export interface Connection {
  /** such as http://127.0.0.1:4500, without a trailing slash; of several, the one that is used now */
  readonly url: string;
  /** number of addresses */
  readonly count: number;
  /** Uses the next address, unless that has happened since. @param from the address that failed */
  moveOn(from: string): void;
  /** API key */
  readonly key: string;
}

/** The error for a server that does not answer. */
export function unreachable(url: string, cause: unknown): AppError {
  const reason =
    cause instanceof Error
      ? cause.cause instanceof Error
        ? cause.cause.message
        : cause.message
      : String(cause);
  return new AppError(
    'client.unreachable',
    `reach ${url}: ${reason}; start a server with \`espalier up\`, or name another with --server`,
    { cause },
  );
}

/**
 * The error for a request that the server rejected; `details.code` is the server's code.
 *
 * @param message the server's message, which names the operation
 * @param facts   further details, such as the `problems` of a spec
 */
export function refused(
  code: string,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError('client.refused', message, { details: { ...facts, code } });
}

/** The error for an answer that does not come from Espalier. */
export function unexpected(url: string, status: number): AppError {
  return refused(
    `http.${status}`,
    `request ${url}: the answer with status ${status} does not come from Espalier; check the address`,
  );
}
