/**
 * @file Disks that are full, folders that are gone or read-only: what was attempted, and what is safe.
 */
import { AppError, isAppError } from '@espalier/contracts';

/** The error of a file of a run that could not be written. */
export function writeFailed(attempt: string, cause: unknown): AppError {
  const finding = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'trainer.write_failed',
    `${attempt}: ${finding}; make room or give permission, then resume`,
    { cause },
  );
}

/** Tells whether the system refused a file operation. */
export function isRefusedBySystem(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return error instanceof Error && typeof code === 'string' && typeof syscall === 'string';
}

/** Tells whether an error says that something could not be written. */
export function isWriteFailure(error: unknown): boolean {
  return isAppError(error) && error.code.endsWith('.write_failed');
}

/** Runs what writes files; a refusal by the system becomes an error that names the attempt. */
export function attemptWrite<Result>(attempt: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw isRefusedBySystem(error) ? writeFailed(attempt, error) : error;
  }
}
