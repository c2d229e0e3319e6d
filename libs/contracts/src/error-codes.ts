/**
 * @file The one table of errors: every code with its meaning, exit code, HTTP status and whether to retry. The server,
 * the command line and docs/reference/errors.md read it; a new error is a row in one of the files below.
 */
import { commandErrors } from './errors/command-errors.js';
import type { ErrorRow } from './errors/error-row.js';
import { serverErrors } from './errors/server-errors.js';
import { trainingErrors } from './errors/training-errors.js';

const table = { ...trainingErrors, ...commandErrors, ...serverErrors };

export type ErrorCode = keyof typeof table;

export const errorCodes: Readonly<Record<ErrorCode, ErrorRow>> = table;

/** The row of a code that came from elsewhere, such as a server; undefined if this version does not know it. */
export function findError(code: string): ErrorRow | undefined {
  return Object.hasOwn(table, code) ? errorCodes[code as ErrorCode] : undefined;
}
