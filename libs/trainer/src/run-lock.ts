/**
 * @file One process per run folder. The lock is a file that is created exclusively; it names its owner, so that
 * a lock left behind by a killed process of this machine is recognised and replaced.
 */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** clock ticks from boot to the start of the process (Linux); tells a reused pid from the old one */
  readonly started: string | null;
}

export interface RunLock {
  release(): void;
}

function startOf(pid: number): string | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // fields after the name in brackets; the start time is field 22, the 20th after the bracket
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch {
    return null;
  }
}

function isAlive(owner: LockOwner): boolean {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  const started = startOf(owner.pid);
  return owner.started === null || started === null || started === owner.started;
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner>;
    if (typeof owner.pid !== 'number' || typeof owner.host !== 'string') return undefined;
    return { pid: owner.pid, host: owner.host, started: owner.started ?? null };
  } catch {
    return undefined;
  }
}

function lockedError(file: string, owner: LockOwner | undefined): AppError {
  const who = owner === undefined ? 'an unknown process' : `process ${owner.pid} on "${owner.host}"`;
  return new AppError(
    'trainer.run_locked',
    `open run folder: "${file}" is held by ${who}; wait for it to end, or delete the file if that process is gone`,
    { details: { file, owner } },
  );
}

function createExclusively(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves a dead process's lock away; false when another process replaced it in the meantime. */
function setAside(file: string, staleText: string): boolean {
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  const isSame = readFileSync(aside, 'utf8') === staleText;
  if (!isSame) linkSync(aside, file);
  rmSync(aside);
  return isSame;
}

/**
 * Takes the lock of a run folder (which must exist).
 *
 * @throws trainer.run_locked when a live process, or one of another machine, holds it
 */
export function createRunLock(folder: string): RunLock {
  const file = join(folder, 'run.lock');
  const own: LockOwner = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  const text = JSON.stringify(own);
  if (!createExclusively(file, text)) {
    const present = readFileSync(file, 'utf8');
    const owner = parseOwner(present);
    const isStale = owner !== undefined && owner.host === own.host && !isAlive(owner);
    if (!isStale || !setAside(file, present) || !createExclusively(file, text))
      throw lockedError(file, owner);
  }
  let isHeld = true;
  return {
    release() {
      if (!isHeld) return;
      isHeld = false;
      rmSync(file, { force: true });
    },
  };
}
