/**
 * @file The one table of errors: every code with its meaning, exit code, HTTP status, whether to retry, the refusals
 * that carry it, and the severity of its alert. The server, the command line and docs/reference/errors.md read it; a new
 * error is a row in one of the files below.
 */
import { commandErrors } from './errors/command-errors.js';
import type { ErrorRow } from './errors/error-row.js';
import { runtimeErrors } from './errors/runtime-errors.js';
import { serverErrors } from './errors/server-errors.js';
import { engineErrors } from './errors/engine-errors.js';
import { trainingErrors } from './errors/training-errors.js';
import { workerErrors } from './errors/worker-errors.js';

/** The parts of the table. */
export const errorTables = {
  training: trainingErrors,
  engine: engineErrors,
  runtime: runtimeErrors,
  command: commandErrors,
  server: serverErrors,
  worker: workerErrors,
} as const;

const table = {
  ...trainingErrors,
  ...engineErrors,
  ...runtimeErrors,
  ...commandErrors,
  ...serverErrors,
  ...workerErrors,
};

export type { ErrorRow, RefusalName } from './errors/error-row.js';
export type ErrorCode = keyof typeof table;

/** A code that has a severity, so that a warning of a run may have it. */
export type WarningCode = {
  [Code in ErrorCode]: (typeof table)[Code] extends { severity: string } ? Code : never;
}[ErrorCode];

export const errorCodes: Readonly<Record<ErrorCode, ErrorRow>> = table;

/** The row of a code that came from elsewhere, such as a server; undefined if this version does not know it. */
export function findError(code: string): ErrorRow | undefined {
  return Object.hasOwn(table, code) ? errorCodes[code as ErrorCode] : undefined;
}
