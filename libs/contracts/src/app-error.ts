import type { ErrorCode } from './error-codes.js';

/** Optional parts of an error. */
interface AppErrorOptions {
  /** Machine-readable facts: paths, shapes, ids. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** The error class of all code: a stable code for programs, a sentence for people (operation: finding; remedy). */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Whether a thrown value is an {@link AppError} with one of these codes. */
export const hasCode = (value: unknown, ...codes: readonly ErrorCode[]): value is AppError =>
  isAppError(value) && codes.includes(value.code);

/** Whether a thrown value is an {@link AppError}, including one from another copy of this package. */
export function isAppError(value: unknown): value is AppError {
  return value instanceof Error && value.name === 'AppError' && typeof (value as AppError).code === 'string';
}
