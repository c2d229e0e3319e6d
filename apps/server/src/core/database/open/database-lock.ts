/**
 * @file One server writes a database: a second one would corrupt leases and cursors. A SQLite file has a lock file next to
 * it; for a PostgreSQL database, a server holds a lease (postgres-lease.ts).
 */
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppError } from '@espalier/contracts';
import { createFolder, createLock, describeOwner, type Lock } from '@espalier/files';
import type { DataSource } from 'typeorm';
import type { DatabaseOptions } from '../../../config/storage-options.js';
import type { PostgresLease } from './postgres-lease.js';

const locks = new WeakMap<DataSource, PostgresLease>();

/** The lock on a database; undefined if none is needed. */
export const lockOf = (source: DataSource): PostgresLease | undefined => locks.get(source);

/**
 * Locks a SQLite file before it is opened; returns the lock. Paths that lead to one file have one lock.
 *
 * @throws server.already_running
 */
export function lockDatabaseFile({ file }: DatabaseOptions): Lock {
  createFolder(dirname(file), 'open the database', 'name another one (setting database.file)');
  const real = existsSync(file) ? realpathSync(file) : join(realpathSync(dirname(file)), basename(file));
  return createLock(
    `${real}.lock`,
    (owner) =>
      new AppError(
        'server.already_running',
        `start server: the database "${file}" is held by ${describeOwner(owner)}; stop it, or give this server a database of its own (setting database.file)`,
      ),
  );
}

/** Every write through a source checks the lock from now on (`lockOf`). */
export function bindLock(source: DataSource, lock: PostgresLease): void {
  locks.set(source, lock);
}
