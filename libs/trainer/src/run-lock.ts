/** @file One process per run folder. */
import { join } from 'node:path';
import { AppError, runLayout } from '@espalier/contracts';
import { createLock, describeOwner, type Lock } from '@espalier/files';
import { wrapWriteErrors } from './write-failure.js';

/**
 * Takes the lock of a run folder (which must exist).
 *
 * @throws trainer.run_locked when a live process, or one on another machine, holds it; trainer.write_failed
 */
export function createRunLock(folder: string): Lock {
  const file = join(folder, runLayout.lock);
  return wrapWriteErrors(`open run folder "${folder}"`, () =>
    createLock(
      file,
      (owner) =>
        new AppError(
          'trainer.run_locked',
          `open run folder: "${file}" is held by ${describeOwner(owner)}; wait for it to end, or delete the file if that process is gone`,
          { details: { file, owner } },
        ),
    ),
  );
}
