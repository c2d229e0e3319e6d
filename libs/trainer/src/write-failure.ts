/**
 * @file Errors of writing files: full disks, folders that are gone or read-only.
 */
import { AppError, hasCode } from '@espalier/contracts';

/** Creates the error of a file of a run that cannot be written. */
export function writeFailed(operation: string, cause: unknown): AppError {
  const finding = cause instanceof Error ? cause.message : String(cause);
  return new AppError(
    'trainer.write_failed',
    `${operation}: ${finding}; free disk space or fix permissions, then resume`,
    { cause },
  );
}

/** Reports whether the system refused a file operation. */
export function isRefusedBySystem(error: unknown): boolean {
  const { code, syscall } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return error instanceof Error && typeof code === 'string' && typeof syscall === 'string';
}

/** Reports whether an error is a failed write. */
export function isWriteFailure(error: unknown): boolean {
  return hasCode(error, 'trainer.write_failed', 'recorder.write_failed');
}

/** Runs code that writes files; a refusal by the system becomes an error that names the operation. */
export function wrapWriteErrors<Result>(operation: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    throw isRefusedBySystem(error) ? writeFailed(operation, error) : error;
  }
}
