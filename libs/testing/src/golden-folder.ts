import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * Finds a folder of golden files, outputs of independent implementations (test/golden/README.md).
 *
 * @param name of the folder, e.g. `tiny-llama`
 * @throws     where there is no such folder
 */
export function goldenFolder(name: string): string {
  const folder = fileURLToPath(new URL(`../../../test/golden/${name}`, import.meta.url));
  if (existsSync(folder)) return folder;
  throw new Error(
    `golden files "${name}": there is no folder ${folder}; test/golden is part of the repository`,
  );
}
