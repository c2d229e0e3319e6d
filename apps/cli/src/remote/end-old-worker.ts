/** @file A worker whose `up` was killed lives on and holds the folder; the next `up` puts its own in that place. */
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findByCommandLine, isAlive, killProcess, readLockOwner } from '@espalier/files';
import type { Console } from '../console.js';

const patienceMs = 5000;

/**
 * Ends the worker of an earlier `up` on a folder. It is killed rather than stopped, because a stopped worker stops
 * what it trains: so training continues, and the next worker on the folder adopts it. Other workers are not touched.
 */
export async function endOldWorker(folder: string, name: string, console: Console): Promise<void> {
  const owner = readLockOwner(join(folder, 'worker.lock'));
  if (owner === undefined || !isAlive(owner)) return;
  const words = ['--on-stop', 'drain', '--name', name].join('\0');
  if (!findByCommandLine(words).some(({ pid }) => pid === owner.pid)) return;
  console.note(
    `a worker of an earlier \`up\` still lives (process ${owner.pid}); a new one takes over its jobs`,
  );
  killProcess(owner.pid);
  for (let waited = 0; waited < patienceMs && isAlive(owner); waited += 50) await wait(50);
}
