/**
 * @file One process per run folder. The lock file is created atomically with its content and names its owner, so that
 * the stale lock of a killed process on this machine is recognized and replaced.
 */
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { wrapWriteErrors } from './write-failure.js';

interface LockOwner {
  readonly pid: number;
  readonly host: string;
  /** clock ticks from boot to the start of the process (Linux); distinguishes a reused pid from the old one */
  readonly started: string | null;
  /** boot id of the machine (Linux): no process outlives it */
  readonly boot: string | null;
}

export interface RunLock {
  /** Reports whether the folder exists and still contains this lock. */
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

/** Gives the fields after the name in parentheses: the first is the state, the 20th the start time. */
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
  // a zombie: in a container there may be no parent to reap it
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

/** Creates the file with its content atomically; after a kill or on a full disk there is none, or only a draft. */
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

/** Moves the lock of a dead process aside; false when another process has replaced it. */
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

/** Removes drafts of killed processes; requires the lock. */
function dropDrafts(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (/^run\.lock\.(draft|stale)-\d+$/.test(name)) rmSync(join(folder, name), { force: true });
  }
}

/**
 * Takes the lock of a run folder (which must exist).
 *
 * @throws trainer.run_locked when a live process, or one on another machine, holds it; trainer.write_failed
 */
export function createRunLock(folder: string): RunLock {
  const file = join(folder, 'run.lock');
  const own: LockOwner = {
    pid: process.pid,
    host: hostname(),
    started: startOf(process.pid),
    boot: bootOf(),
  };
  const text = JSON.stringify(own);
  wrapWriteErrors(`open run folder "${folder}"`, () => {
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
      // the folder or the lock may belong to another process by now
      if (isHeld()) rmSync(file, { force: true });
      isReleased = true;
    },
  };
}
