/**
 * @file One process per file or folder. A lock file is created atomically with its content and names its owner, so that
 * the lock of a killed process is recognized and replaced.
 */
import { linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { AppError, type ErrorCode, isAppError } from '@espalier/contracts';
import { createFolder, dataRemedy, unusableFolder } from './create-folder.js';
import { isAlive, type ProcessIdentity, startOf } from './process-identity.js';

export interface LockOwner extends ProcessIdentity {
  readonly host: string;
}

export interface Lock {
  /** Whether the file still contains this lock. */
  isHeld(): boolean;
  /** Removes the file, unless it belongs to another process by now. */
  release(): void;
}

/**
 * Takes a lock file in a folder that exists. The lock of a dead process on this machine is replaced; a lock from
 * another machine, or an unreadable one, is not.
 *
 * @param lockedError creates the error when another process holds it; the owner is undefined when the file is unreadable
 */
export function createLock(file: string, lockedError: (owner: LockOwner | undefined) => AppError): Lock {
  const own: LockOwner = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  const text = JSON.stringify(own);
  if (!createExclusively(file, text)) {
    const present = readText(file) ?? '';
    const owner = parseOwner(present);
    const isStale = owner !== undefined && isOfThisMachine(owner, own) && !isAlive(owner);
    if (!isStale || !setAside(file, present) || !createExclusively(file, text)) throw lockedError(owner);
  }
  dropDrafts(file);
  let isReleased = false;
  const isHeld = (): boolean => !isReleased && readText(file) === text;
  return {
    isHeld,
    release() {
      if (isHeld()) rmSync(file, { force: true });
      isReleased = true;
    },
  };
}

/**
 * Takes the lock of a data folder, which is created when missing.
 *
 * @param name the lock file is `<name>.lock`, and the message calls its owner by this name
 * @param code error code when another process holds it
 * @throws that code, or cli.unusable_folder
 */
export function createFolderLock(folder: string, name: string, code: ErrorCode): Lock {
  createFolder(folder, `start ${name}`, dataRemedy);
  const file = join(folder, `${name}.lock`);
  try {
    return createLock(
      file,
      (owner) =>
        new AppError(
          code,
          `start ${name}: "${folder}" is held by ${describeOwner(owner)}; stop it, or use another data folder for this ${name} (if that process is gone, delete "${file}")`,
        ),
    );
  } catch (error) {
    throw isAppError(error) ? error : unusableFolder(folder, `start ${name}`, error, dataRemedy);
  }
}

/** Names the owner of a lock in a message. */
export function describeOwner(owner: LockOwner | undefined): string {
  return owner === undefined ? 'an unknown process' : `process ${owner.pid} on "${owner.host}"`;
}

/** A container may get a new host name at each start, so an equal boot id also means the same machine. */
function isOfThisMachine(owner: LockOwner, own: LockOwner): boolean {
  const bootOf = ({ started }: LockOwner): string | undefined => started?.split(':')[0];
  return owner.host === own.host || (bootOf(owner) !== undefined && bootOf(owner) === bootOf(own));
}

/** Reads the owner of a lock file; undefined when there is none or it is unreadable. */
export const readLockOwner = (file: string): LockOwner | undefined => parseOwner(readText(file) ?? '');

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function parseOwner(text: string): LockOwner | undefined {
  try {
    const owner = JSON.parse(text) as Partial<LockOwner> | null;
    if (typeof owner?.pid !== 'number' || typeof owner.host !== 'string') return undefined;
    return { pid: owner.pid, host: owner.host, started: owner.started ?? null };
  } catch {
    return undefined;
  }
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
function dropDrafts(file: string): void {
  const leftover = /^\.(?:draft|stale)-\d+$/;
  for (const name of readdirSync(dirname(file)))
    if (name.startsWith(basename(file)) && leftover.test(name.slice(basename(file).length)))
      rmSync(join(dirname(file), name), { force: true });
}
