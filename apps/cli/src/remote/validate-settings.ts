import { existsSync } from 'node:fs';
import { AppError } from '@espalier/contracts';

/**
 * Validates that a settings file given by the user exists; the default one may be missing.
 *
 * @throws config.unreadable
 */
export function validateSettings(file: string, usual: string): void {
  if (file === usual || existsSync(file)) return;
  throw new AppError(
    'config.unreadable',
    `read settings ${file}: there is no such file; check --config, or leave it out`,
    {
      details: { missing: true, isSettings: true },
    },
  );
}
