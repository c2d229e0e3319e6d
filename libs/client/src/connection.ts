/** @file Where a server is and what it is asked with; shared by every transport. */
import { AppError } from '@espalier/contracts';

export interface Connection {
  /** such as http://127.0.0.1:4500, without a slash at its end */
  readonly url: string;
  /** API key */
  readonly key: string;
}

/** The error of a server that does not answer. */
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
 * The error of a server that answered with a refusal; `details.code` is the server's code.
 *
 * @param message the message of the server: operation, finding, remedy
 * @param facts   what else it told, such as `problems` of a spec
 */
export function refused(
  code: string,
  message: string,
  facts: Readonly<Record<string, unknown>> = {},
): AppError {
  return new AppError('client.refused', message, { details: { ...facts, code } });
}

/** The error of an answer that is not one of this server's. */
export function unexpected(url: string, status: number): AppError {
  return refused(
    `http.${status}`,
    `ask ${url}: it answered with status ${status}, which is no answer of Espalier; check the address`,
  );
}
