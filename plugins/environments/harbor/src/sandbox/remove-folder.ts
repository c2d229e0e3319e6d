/** @file Removes folders of sandboxes, whatever commands have made of them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/plugin-kit';

/**
 * Removes a folder with all that is in it. Node fails at folders without permissions, unless it runs as root, and at paths of more than
 * 4,096 bytes; the programs of Linux do not.
 *
 * @throws plugin.failed where something stays
 */
export function removeFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  } catch {
    spawnSync('chmod', ['-R', 'u+rwx', '--', folder]);
    const { stderr } = spawnSync('rm', ['-rf', '--', folder], { encoding: 'utf8' });
    if (existsSync(folder))
      throw new AppError(
        'plugin.failed',
        `remove the sandbox ${folder}: ${stderr.trim().slice(0, 300)}; remove it by hand`,
      );
  }
}

/** Removes a folder where that can be done: what stays is no reason to end a process, or not to begin. */
export function tryToRemove(folder: string): void {
  try {
    removeFolder(folder);
  } catch {
    // it may be another user's
  }
}

/** Removes folders of processes that were killed; their names are `prefix`, the id of the process, a dash and more. */
export function sweep(prefix: string): void {
  let names: readonly string[] = [];
  try {
    names = readdirSync(tmpdir());
  } catch {
    // a folder for temporary files may be one to write to and not to read
  }
  for (const name of names) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number(name.slice(prefix.length).split('-')[0]);
    try {
      process.kill(pid, 0);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') tryToRemove(join(tmpdir(), name));
    }
  }
}
