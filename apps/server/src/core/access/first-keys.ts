/** @file The keys a server has before anybody could make one: an admin's and the workers'. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import type { DataSource } from 'typeorm';
import type { ServerOptions } from '../../config/server-options.js';
import { ApiKey } from '../database/entities/api-key.js';
import { createSecret, hashOf, type KeyService } from './key.service.js';
import { type FirstKeys, deleteUnreported, saveUnreported, readUnreported } from './unreported-keys.js';

const minLength = 32;

/**
 * Makes sure that there are keys: those of the settings, and at the first start of a server one for an admin and one
 * for workers. Those of a start that never told them are told by the next one.
 *
 * @returns null unless there are keys whose secrets nobody knows yet
 * @throws access.weak_key, server.database_lost
 */
export async function ensureFirstKeys(
  keys: KeyService,
  source: DataSource,
  { access, data }: ServerOptions,
): Promise<FirstKeys | null> {
  const isFirstStart = (await source.getRepository(ApiKey).count()) === 0;
  const admin = await preset(keys, source, 'admin', access.adminKey);
  const worker = await preset(keys, source, 'worker', access.workerKey);
  const unreported = readUnreported(data);
  if (isFirstStart && !(admin && worker)) {
    requireNoKeys(data);
    const made = {
      ...(admin ? {} : { admin: unreported?.admin ?? createSecret() }),
      ...(worker ? {} : { worker: unreported?.worker ?? createSecret() }),
    };
    saveUnreported(data, made);
    await storeAll(keys, source, made);
    return made;
  }
  if (unreported === null) return null;
  const { admin: knownAdmin, worker: knownWorker } = {
    admin: await find(source, unreported.admin ?? ''),
    worker: await find(source, unreported.worker ?? ''),
  };
  // of another database
  if (knownAdmin === null && knownWorker === null) {
    deleteUnreported(data);
    return null;
  }
  await storeAll(keys, source, unreported);
  const isReported = [knownAdmin, knownWorker].some((key) => key !== null && key.revokedAt !== null);
  return isReported ? null : unreported;
}

/** Keys of another database stay readable. @throws server.database_lost */
function requireNoKeys(data: string): void {
  const path = join(data, 'admin.key');
  if (!existsSync(path)) return;
  throw new AppError(
    'server.database_lost',
    `make the first keys: the database has none, but "${path}" belongs to one that was used before; restore that database, or to begin anew move "${data}" away`,
  );
}

/** Stores those of the keys that are not stored yet. */
async function storeAll(keys: KeyService, source: DataSource, made: FirstKeys): Promise<void> {
  for (const role of ['admin', 'worker'] as const) {
    const secret = made[role];
    if (secret !== undefined && (await find(source, secret)) === null)
      await keys.create({ ...first(role), secret });
  }
}

const find = (source: DataSource, secret: string): Promise<ApiKey | null> =>
  source.getRepository(ApiKey).findOneBy({ hash: hashOf(secret) });

const first = (role: Role) => ({ name: `first ${role}`, role, projects: ['*'] });

/** Tells whether there is a key of the settings; makes it if need be. */
async function preset(keys: KeyService, source: DataSource, role: Role, secret: string): Promise<boolean> {
  if (secret === '') return false;
  if (secret.length < minLength || /\s/.test(secret))
    throw new AppError(
      'access.weak_key',
      `use the setting access.${role}Key: it has ${secret.length} characters; a key has at least ${minLength}, none of them a space`,
    );
  const known = await find(source, secret);
  if (known === null) await keys.create({ ...first(role), name: `preset ${role}`, secret });
  else if (known.role !== role || known.revokedAt !== null)
    throw new AppError(
      'access.weak_key',
      `use the setting access.${role}Key: this key is ${known.revokedAt === null ? `a ${known.role} key` : 'revoked'} already; choose another`,
    );
  return true;
}
