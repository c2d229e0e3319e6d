/**
 * @file One process per run folder. The lock is a file that appears with its content or not at all; it names its
 * owner, so that a lock left behind by a killed process of this machine is recognised and replaced.
 */
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { attemptWrite } from './write-failure.js';

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** clock ticks from boot to the start of the process (Linux); tells a reused pid from the old one */
  readonly started: string | null;
  /** of the machine (Linux): no process outlives it */
  readonly boot: string | null;
}

export interface RunLock {
  /** Tells whether the folder still is where it was, and the lock in it still this one. */
  isHeld(): boolean;
  release(): void;
}

function readSystem(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}

/** Fields after the name in brackets: the first is the state, the 20th the start time. */
function fieldsOf(pid: number): readonly string[] {
  const text = readSystem(`/proc/${pid}/stat`) ?? '';
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

const startOf = (pid: number): string | null => fieldsOf(pid)[19] ?? null;

const bootOf = (): string | null => readSystem('/proc/sys/kernel/random/boot_id');

function isAlive(owner: LockOwner): boolean {
  const boot = bootOf();
  if (owner.boot !== null && boot !== null && owner.boot !== boot) return false;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
  }
  // ended, and nobody has asked how: in a container there may be nobody to ask
  if (fieldsOf(owner.pid)[0] === 'Z') return false;
  const started = startOf(owner.pid);
  return owner.started === null || started === null || started === owner.started;
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner>;
    if (typeof owner.pid !== 'number' || typeof owner.host !== 'string') return undefined;
    return { pid: owner.pid, host: owner.host, started: owner.started ?? null, boot: owner.boot ?? null };
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

/** Makes the file with all of its text in one step; a kill or a full disk leaves none, or a draft that is no lock. */
function createExclusively(file: string, text: string): boolean {
  const draft = `${file}.draft-${process.pid}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
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

/** Removes drafts of killed processes; call only while holding the lock. */
function dropDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/^run\.lock\.(draft|stale)-\d+$/.test(name)) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Takes the lock of a run folder (which must exist).
 *
 * @throws trainer.run_locked when a live process, or one of another machine, holds it; trainer.write_failed
 */
export function createRunLock(folder: string): RunLock {
  const file = join(folder, 'run.lock');
  const own: LockOwner = {
    ...{ pid: process.pid, host: hostname() },
    ...{ started: startOf(process.pid), boot: bootOf() },
  };
  const text = JSON.stringify(own);
  attemptWrite(`open run folder "${folder}"`, () => {
    if (!createExclusively(file, text)) {
      const present = readSystem(file) ?? '';
      const owner = parseOwner(present);
      const isStale = owner !== undefined && owner.host === own.host && !isAlive(owner);
      if (!isStale || !setAside(file, present) || !createExclusively(file, text))
        throw lockedError(file, owner);
    }
    dropDrafts(folder);
  });
  let isReleased = false;
  const isHeld = (): boolean => !isReleased && readSystem(file) === text;
  return {
    isHeld,
    release() {
      // never another's: after the folder was replaced, or the lock taken from a process thought dead
      if (isHeld()) rmSync(file, { force: true });
      isReleased = true;
    },
  };
}
