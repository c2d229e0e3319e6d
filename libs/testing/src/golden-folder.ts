import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/**
 * Finds a folder of reference data beside the repository.
 *
 * @param path below `../shared/data`, e.g. `golden/tiny-llama`
 * @returns the folder, or undefined where the data are not at hand; then the caller skips visibly
 * @throws in CI, where the data must be there
 */
export function goldenFolder(path: string): string | undefined {
  const folder = join(root, '..', 'shared', 'data', path);
  if (existsSync(folder)) return folder;
  if (process.env['CI'] !== undefined) {
    throw new Error(
      `reference data: ${folder} is missing; CI must provide shared/data beside the repository`,
    );
  }
  return undefined;
}
