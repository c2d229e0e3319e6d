import { existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * The path of a folder of golden files, the outputs of independent implementations (test/golden/README.md).
 *
 * @param name of the folder, e.g. `tiny-llama`
 * @throws     if there is no such folder
 */
export function goldenFolder(name: string): string {
  const folder = fileURLToPath(new URL(`../../../test/golden/${name}`, import.meta.url));
  if (existsSync(folder)) return folder;
  throw new Error(`golden files "${name}": ${folder} does not exist; check out test/golden`);
}

/** Removes a folder if it exists; retries for a few seconds while an ending process still writes to it. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 20 });
}
