/**
 * @file The first keys of a server: an admin's and the workers'. Generated ones are in a file of the data folder,
 * readable by its owner only, from before they enter the database until they were printed, so that a start that fails in
 * between loses none.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import type { DataSource } from 'typeorm';
import type { ServerOptions } from '../../config/server-options.js';
import { ApiKey } from '../database/entities/api-key.js';
import { createSecret, hashOf, type KeyService } from './key.service.js';

/** Secrets of generated keys, by role; they are printed once. */
export interface FirstKeys {
  readonly admin?: string;
  readonly worker?: string;
}

const minLength = 32;
const fileOf = (data: string): string => join(data, 'first-keys.json');

/**
 * Creates the keys of the settings and, at the first start of a server, one for an admin and one for workers.
 *
 * @returns generated keys that were not printed yet, by this start or an earlier one; null: none
 * @throws access.weak_key, server.database_lost
 */
export async function ensureFirstKeys(
  keys: KeyService,
  source: DataSource,
  { access, data }: ServerOptions,
): Promise<FirstKeys | null> {
  const isFirstStart = (await source.getRepository(ApiKey).count()) === 0;
  const hasAdmin = await ensureConfigured(keys, source, 'admin', access.adminKey);
  const hasWorker = await ensureConfigured(keys, source, 'worker', access.workerKey);
  const unreported = readUnreported(data);
  if (isFirstStart && !(hasAdmin && hasWorker)) {
    assertNoEarlierKeys(data);
    const generated = {
      ...(hasAdmin ? {} : { admin: unreported?.admin ?? createSecret() }),
      ...(hasWorker ? {} : { worker: unreported?.worker ?? createSecret() }),
    };
    writeFileSync(fileOf(data), `${JSON.stringify(generated)}\n`, { mode: 0o600, flush: true });
    await storeAll(keys, source, generated);
    return generated;
  }
  if (unreported === null) return null;
  const known = [
    await find(source, unreported.admin ?? ''),
    await find(source, unreported.worker ?? ''),
  ].filter((key) => key !== null);
  // of another database
  if (known.length === 0) {
    deleteUnreported(data);
    return null;
  }
  await storeAll(keys, source, unreported);
  return known.some(({ revokedAt }) => revokedAt !== null) ? null : unreported;
}

/** Deletes the file of generated keys, once they were printed. */
export function deleteUnreported(data: string): void {
  rmSync(fileOf(data), { force: true });
}

/** Reads generated keys that were not printed; null when there are none, or the file is incomplete. */
function readUnreported(data: string): FirstKeys | null {
  try {
    const { admin, worker } = JSON.parse(readFileSync(fileOf(data), 'utf8')) as Record<string, unknown>;
    return {
      ...(typeof admin === 'string' && { admin }),
      ...(typeof worker === 'string' && { worker }),
    };
  } catch {
    return null;
  }
}

/** Keys of another database stay readable. @throws server.database_lost */
function assertNoEarlierKeys(data: string): void {
  const path = join(data, 'admin.key');
  if (!existsSync(path)) return;
  throw new AppError(
    'server.database_lost',
    `create the first keys: the database has none, but "${path}" belongs to one that was used before; restore that database, or move "${data}" away to start over`,
  );
}

/** Stores those of the keys that are not stored yet. */
async function storeAll(keys: KeyService, source: DataSource, generated: FirstKeys): Promise<void> {
  for (const role of ['admin', 'worker'] as const) {
    const secret = generated[role];
    if (secret !== undefined && (await find(source, secret)) === null)
      await keys.create({ name: `first ${role}`, role, projects: ['*'], secret });
  }
}

const find = (source: DataSource, secret: string): Promise<ApiKey | null> =>
  source.getRepository(ApiKey).findOneBy({ hash: hashOf(secret) });

/** Returns whether the settings have a key of a role; creates it if it is new. @throws access.weak_key */
async function ensureConfigured(
  keys: KeyService,
  source: DataSource,
  role: Role,
  secret: string,
): Promise<boolean> {
  if (secret === '') return false;
  if (secret.length < minLength || /\s/.test(secret))
    throw new AppError(
      'access.weak_key',
      `use the setting access.${role}Key: it has ${secret.length} characters; a key has at least ${minLength}, none of them a space`,
    );
  const known = await find(source, secret);
  if (known === null) await keys.create({ name: `preset ${role}`, role, projects: ['*'], secret });
  else if (known.role !== role || known.revokedAt !== null)
    throw new AppError(
      'access.weak_key',
      `use the setting access.${role}Key: this key is ${known.revokedAt === null ? `a ${known.role} key` : 'revoked'} already; choose another`,
    );
  return true;
}
