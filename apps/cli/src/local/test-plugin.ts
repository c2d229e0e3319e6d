/** @file Runs the specs of a plugin by vitest. */
import { spawnSync } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '@espalier/contracts';
import { findPackage } from '@espalier/files';
import { findForPlugin } from './plugin-test-config.js';

/** Runs the specs of a plugin's folder. @returns the exit code @throws cli.usage */
export function testPlugin(folder: string): number {
  const cwd = requirePackage(folder, 'test');
  const config = fileURLToPath(new URL('./plugin-test-config.js', import.meta.url));
  const words = [join(findVitest(cwd, 'test'), 'vitest.mjs'), 'run', '--config', config, '--root', cwd];
  return spawnSync(process.execPath, words, { cwd, stdio: 'inherit' }).status === 0 ? 0 : 5;
}

/** The real path of a plugin's folder. @throws cli.usage */
export function requirePackage(folder: string, operation: string): string {
  if (existsSync(join(folder, 'package.json'))) return realpathSync(folder);
  throw new AppError(
    'cli.usage',
    `${operation} ${folder}: there is no package.json; name the folder of a plugin`,
  );
}

/** The folder of vitest: that of the plugin, or else of this installation. @throws cli.usage */
export function findVitest(folder: string, operation: string): string {
  const found = findPackage('vitest', folder) ?? findForPlugin('vitest', process.cwd());
  if (found !== undefined) return found;
  throw new AppError(
    'cli.usage',
    `${operation} ${folder}: vitest is not installed; run npm install --save-dev vitest`,
  );
}
