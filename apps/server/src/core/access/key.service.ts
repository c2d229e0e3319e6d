/**
 * @file Creates keys, authenticates with them, rotates and revokes them. A secret is looked up by its hash, so that neither the database
 * nor this process compares secrets byte by byte; known keys are kept in memory, and a revoked one is dropped at once.
 */
import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, IsNull, Not } from 'typeorm';
import { createId } from '../database/create-id.js';
import { isPostgres, runSql } from '../database/run-sql.js';
import { LiveBus } from '../database/live-bus.js';
import { RunLog } from '../database/run-log.js';
import {
  columnKey,
  momentKey,
  type OrderBy,
  type Page,
  type PagePart,
  readPage,
  type SortKey,
} from '../database/page.js';
import { parseInput } from '../input/parse-input.js';
import { requestScope } from '../../logging/request-scope.js';
import { ApiKey } from '../database/entities/api-key.js';
import type { Caller } from './caller.js';
import { type CreatedKey, createKeyBody, type KeyOrderField } from './key-requests.js';
import { RateLimits } from './rate-limits.js';

const orders: Readonly<Record<KeyOrderField, SortKey<ApiKey>>> = {
  createdAt: columnKey('key', 'createdAt', 'integer'),
  lastUsedAt: momentKey('key', 'lastUsedAt'),
  name: columnKey('key', 'name', 'text'),
};

const prefixLength = 12;
const minute = 60_000;
/** another server may have revoked a key: what is older than this is read again, ms */
const freshMs = 4000;

/** A key to create. */
export interface KeyRequest {
  readonly name: string;
  readonly role: Role;
  readonly projects: readonly string[];
  readonly maxRunning?: number | null | undefined;
  /** of the key it replaces; default: none */
  readonly lineage?: string;
  /** default: a random one */
  readonly secret?: string;
}

interface CachedKey {
  readonly key: ApiKey;
  readonly caller: Caller;
  readAt: number;
}

@Injectable()
export class KeyService {
  private readonly known = new Map<string, CachedKey>();
  /** ids of keys that ended while this process was running */
  private readonly revoked = new Set<string>();

  constructor(
    private readonly source: DataSource,
    private readonly runLog: RunLog,
    private readonly bus: LiveBus,
    private readonly limits: RateLimits,
  ) {}

  /** Creates a key from what a client sent. @throws server.invalid_input */
  async createFrom(body: unknown): Promise<CreatedKey> {
    const given = parseInput(createKeyBody, body, 'create a key');
    const seesAll = given.role === 'admin' || given.role === 'worker';
    return this.create({ ...given, projects: seesAll ? ['*'] : given.projects });
  }

  /** Creates a key; the secret is in the answer and nowhere else. */
  async create(request: KeyRequest): Promise<CreatedKey> {
    return this.runLog.write('keys', (manager) => this.insert(manager, request));
  }

  /** Lists keys, newest first unless ordered otherwise; revoked ones too. @throws server.invalid_cursor, server.invalid_input */
  async list(
    page: PagePart,
    { field, direction }: OrderBy<KeyOrderField> = { field: 'createdAt', direction: 'desc' },
  ): Promise<Page<ApiKey>> {
    const query = this.source.getRepository(ApiKey).createQueryBuilder('key');
    return readPage(query, page, [orders[field], columnKey('key', 'id', 'text')], direction);
  }

  /** Revokes a key, at once and for good; its sockets are closed. @throws access.last_admin, server.not_found */
  async revoke(id: string): Promise<ApiKey> {
    return this.runLog.write('keys', async (manager) => {
      const key = await lockKey(manager, id);
      if (key === null) throw unknownKey(id);
      if (key.role === 'admin' && key.revokedAt === null && (await countOtherAdmins(manager, id)) === 0)
        throw new AppError(
          'access.last_admin',
          `revoke "${key.name}": it is the last admin key; create another first`,
        );
      return this.end(manager, key);
    });
  }

  /** Ends a key that the server made for itself, and deletes its row; nothing if it is gone. */
  async discard(id: string): Promise<void> {
    await this.runLog.write('keys', async (manager) => {
      const key = await lockKey(manager, id);
      if (key === null) return;
      await this.end(manager, key);
      await manager.delete(ApiKey, { id });
    });
  }

  /** Replaces a key by a new one of the same kind; the old one ends at once. @throws server.invalid_input, server.not_found */
  async rotate(id: string): Promise<CreatedKey> {
    return this.runLog.write('keys', async (manager) => {
      const key = await lockKey(manager, id);
      if (key === null) throw unknownKey(id);
      if (key.revokedAt !== null)
        throw new AppError(
          'server.invalid_input',
          `rotate "${key.name}": it was revoked; create a new key instead`,
        );
      const { name, role, projects, maxRunning, lineage } = key;
      const created = await this.insert(manager, { name, role, projects, maxRunning, lineage });
      await this.end(manager, key);
      return created;
    });
  }

  private async insert(manager: EntityManager, request: KeyRequest): Promise<CreatedKey> {
    const { key, secret } = newKey(request);
    await manager.insert(ApiKey, key as never);
    this.runLog.afterCommit(manager, () => this.bus.publish('keyCreated', key.id, { keyId: key.id }));
    return { key, secret };
  }

  private async end(manager: EntityManager, key: ApiKey): Promise<ApiKey> {
    const { id, hash } = key;
    if (key.revokedAt === null) {
      key.revokedAt = Date.now();
      await manager.update(ApiKey, { id }, { revokedAt: key.revokedAt });
    }
    this.runLog.afterCommit(manager, () => {
      this.revoked.add(id);
      this.known.delete(hash);
      this.bus.publish('keyRevoked', id, { keyId: id });
    });
    return key;
  }

  /** Returns whether a key was used a moment ago, so that it is authenticated without the database. */
  isInUse(secret: string): boolean {
    return this.known.has(hashOf(secret));
  }

  /** Returns whether a key was revoked since its caller was authenticated, without the database. */
  isRevoked(id: string): boolean {
    return this.revoked.has(id);
  }

  /**
   * Returns the caller of a secret.
   *
   * @param address of the sender; default: that of the current request
   * @throws access.unauthenticated when there is none, an unknown one or a revoked one; access.throttled when the
   *         address has sent too many unknown ones; keys in use are still accepted
   */
  async authenticate(secret: string | undefined, address?: string): Promise<Caller> {
    if (secret === undefined || secret === '') throw unauthenticated('no key was given');
    const hash = hashOf(secret);
    const now = Date.now();
    const known = this.known.get(hash);
    if (known !== undefined && now - known.readAt < freshMs) return this.use(known, now);
    const from = address ?? requestScope.getStore()?.address ?? '';
    if (known === undefined) await this.limits.check('unknownKeys', from);
    const key = await this.source.getRepository(ApiKey).findOneBy({ hash });
    // it may have been revoked while it was being read
    if (key === null || key.revokedAt !== null || this.revoked.has(key.id)) {
      this.known.delete(hash);
      await this.limits.count('unknownKeys', from).catch(() => undefined);
      throw unauthenticated(key === null ? 'the key is unknown' : `the key "${key.name}" was revoked`);
    }
    const found: CachedKey = { key, caller: known?.caller ?? toCaller(key), readAt: now };
    this.known.set(hash, found);
    return this.use(found, now);
  }

  /** Finds the caller of a key by its id. @throws access.unauthenticated when there is none, or it was revoked */
  async callerOf(id: string): Promise<Caller> {
    const key = await this.source.getRepository(ApiKey).findOneBy({ id });
    // it may have been revoked while it was being read
    if (key === null || key.revokedAt !== null || this.revoked.has(id))
      throw unauthenticated(key === null ? 'the key is unknown' : `the key "${key.name}" was revoked`);
    return toCaller(key);
  }

  /** Stores the minute of its last use. */
  private use({ key, caller }: CachedKey, now: number): Caller {
    const used = now - (now % minute);
    if (key.lastUsedAt === null || key.lastUsedAt < used) {
      key.lastUsedAt = used;
      void this.runLog
        .write('keys', (manager) => manager.update(ApiKey, { id: key.id }, { lastUsedAt: used }))
        .catch(() => (key.lastUsedAt = null));
    }
    return caller;
  }
}

const toCaller = ({ id, name, role, projects }: ApiKey): Caller => ({
  keyId: id,
  keyName: name,
  role,
  projects,
});

function newKey(request: KeyRequest): CreatedKey {
  const secret = request.secret ?? createSecret();
  const id = createId('key');
  const key: ApiKey = {
    id,
    lineage: request.lineage ?? id,
    name: request.name,
    role: request.role,
    projects: [...request.projects],
    prefix: secret.slice(0, prefixLength),
    hash: hashOf(secret),
    maxRunning: request.maxRunning ?? null,
    createdAt: Date.now(),
    lastUsedAt: null,
    revokedAt: null,
  };
  return { key, secret };
}

/**
 * Reads a key that is about to be revoked. On PostgreSQL the keys of all admins are locked with it until the commit, in
 * one order, so that a concurrent transaction that revokes one counts those that are left.
 */
async function lockKey(manager: EntityManager, id: string): Promise<ApiKey | null> {
  if (isPostgres(manager))
    await runSql(manager, `SELECT id FROM api_key WHERE role = 'admin' OR id = ? ORDER BY id FOR UPDATE`, [
      id,
    ]);
  return manager.findOneBy(ApiKey, { id });
}

const countOtherAdmins = (manager: EntityManager, id: string): Promise<number> =>
  manager.countBy(ApiKey, { id: Not(id), role: 'admin', revokedAt: IsNull() });

/** Generates a secret of 256 random bits. */
export function createSecret(): string {
  return `esp_${randomBytes(32).toString('base64url')}`;
}

/** Hash under which a secret is stored. */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function unauthenticated(finding: string): AppError {
  return new AppError(
    'access.unauthenticated',
    `read the API key: ${finding}; send \`authorization: Bearer <key>\`, or auth: { key } on a socket`,
  );
}

const unknownKey = (id: string): AppError =>
  new AppError(
    'server.not_found',
    `find the key "${id.slice(0, 100)}": there is no such key; list them to find its id`,
  );
