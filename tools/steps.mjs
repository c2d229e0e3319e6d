// Runs named steps one after the other, showing how long each took; used by verify and quickstart.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';

/** Runs one command with its output shown; returns its exit code. */
export function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (result.error) throw result.error;
  return result.status ?? 1;
}

/** Installs the locked packages unless exactly these are installed already. */
export function install() {
  const lock = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  const mark = join(root, 'node_modules', '.espalier-lock');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === lock) return 0;
  const code = run(npm, ['ci', '--no-audit', '--no-fund'], { shell: process.platform === 'win32' });
  if (code === 0) writeFileSync(mark, lock);
  return code;
}

/** Runs steps in order; stops at the first that fails unless it is marked `always`. Returns the failed names. */
export function runSteps(steps) {
  const failed = [];
  for (const { name, task } of steps) {
    const begin = Date.now();
    console.log(`\n── ${name}`);
    const code = task();
    const seconds = ((Date.now() - begin) / 1000).toFixed(1);
    console.log(`── ${name}: ${code === 0 ? 'ok' : `failed (exit ${code})`} in ${seconds} s`);
    if (code !== 0) {
      failed.push(name);
      if (name === 'install' || name === 'build') break;
    }
  }
  return failed;
}
