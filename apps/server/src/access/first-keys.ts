/** @file The keys a server has before anybody could make one: an admin's and the workers'. */
import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import type { DataSource } from 'typeorm';
import type { ServerOptions } from '../config/server-options.js';
import { ApiKey } from './api-key.entity.js';
import { hashOf, type KeyService } from './key.service.js';

const minLength = 32;

/** Secrets of keys that were just made by themselves; they are shown once. */
export interface FirstKeys {
  readonly admin?: string;
  readonly worker?: string;
}

/**
 * Makes sure that there are keys: those of the settings, and at the first start of a server one for an admin and one
 * for workers.
 *
 * @returns null unless keys were made whose secrets nobody knows yet
 * @throws access.weak_key
 */
export async function ensureFirstKeys(
  keys: KeyService,
  source: DataSource,
  { access }: ServerOptions,
): Promise<FirstKeys | null> {
  const isFirstStart = (await source.getRepository(ApiKey).count()) === 0;
  const admin = await preset(keys, source, 'admin', access.adminKey);
  const worker = await preset(keys, source, 'worker', access.workerKey);
  if (!isFirstStart || (admin && worker)) return null;
  return {
    ...(admin ? {} : { admin: (await keys.create(first('admin'))).secret }),
    ...(worker ? {} : { worker: (await keys.create(first('worker'))).secret }),
  };
}

const first = (role: Role) => ({ name: `first ${role}`, role, projects: ['*'] });

/** Tells whether there is a key of the settings; makes it if need be. */
async function preset(keys: KeyService, source: DataSource, role: Role, secret: string): Promise<boolean> {
  if (secret === '') return false;
  if (secret.length < minLength || /\s/.test(secret))
    throw new AppError(
      'access.weak_key',
      `use the setting access.${role}Key: it has ${secret.length} characters; a key has at least ${minLength}, none of them a space`,
    );
  const known = await source.getRepository(ApiKey).findOneBy({ hash: hashOf(secret) });
  if (known === null) await keys.create({ ...first(role), name: `preset ${role}`, secret });
  else if (known.role !== role || known.revokedAt !== null)
    throw new AppError(
      'access.weak_key',
      `use the setting access.${role}Key: this key is ${known.revokedAt === null ? `a ${known.role} key` : 'revoked'} already; choose another`,
    );
  return true;
}
