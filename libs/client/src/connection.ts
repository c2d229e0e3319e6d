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
 * @param attempt what was asked for, such as `create a run`
 */
export function refused(attempt: string, code: string, message: string): AppError {
  return new AppError('client.refused', `${attempt}: ${message}`, { details: { code } });
}
