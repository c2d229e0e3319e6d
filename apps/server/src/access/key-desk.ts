/** @file What may be done with keys, whichever way it was asked for. */
import { Injectable } from '@nestjs/common';
import { DataSource, IsNull } from 'typeorm';
import { NotPossible } from '../graphql/refusal.js';
import { ApiKey } from './api-key.entity.js';
import { KeyService } from './key.service.js';
import { type CreatedKey, createKeyBody } from './key.types.js';

@Injectable()
export class KeyDesk {
  constructor(
    private readonly keys: KeyService,
    private readonly source: DataSource,
  ) {}

  /** Makes a key. What does not fit is an expected refusal. */
  async create(request: unknown): Promise<CreatedKey | NotPossible> {
    const parsed = createKeyBody.safeParse(request);
    if (!parsed.success) {
      const found = parsed.error.issues
        .map(({ path, message }) => `${path.join('.')}: ${message}`)
        .join('; ');
      return refusal('access.bad_key', `make a key: ${found}`);
    }
    const { role, projects } = parsed.data;
    const seesAll = role === 'admin' || role === 'worker';
    return this.keys.create({
      ...parsed.data,
      projects: seesAll ? ['*'] : projects,
      maxRunning: parsed.data.maxRunning ?? null,
    });
  }

  /** Revokes a key. The last admin key stays. */
  async revoke(id: string): Promise<ApiKey | NotPossible> {
    const key = await this.find(id);
    if (key === null) return unknown(id);
    if (key.role === 'admin' && key.revokedAt === null) {
      const admins = await this.source.getRepository(ApiKey).countBy({ role: 'admin', revokedAt: IsNull() });
      if (admins <= 1)
        return refusal(
          'access.last_admin',
          `revoke "${key.name}": it is the last admin key; make another first`,
        );
    }
    return (await this.keys.revoke(id)) ?? key;
  }

  /** Replaces a key by a new one of the same kind; the old one ends at once. */
  async rotate(id: string): Promise<CreatedKey | NotPossible> {
    const key = await this.find(id);
    if (key === null) return unknown(id);
    const { name, role, projects, maxRunning, lineage, revokedAt } = key;
    if (revokedAt !== null)
      return refusal('access.bad_key', `rotate "${name}": it was revoked; make a new key instead`);
    const created = await this.keys.create({ name, role, projects, maxRunning, lineage });
    await this.keys.revoke(id);
    return created;
  }

  private async find(id: string): Promise<ApiKey | null> {
    return this.source.getRepository(ApiKey).findOneBy({ id });
  }
}

const unknown = (id: string): NotPossible =>
  refusal('server.not_found', `find the key "${id.slice(0, 100)}": there is none of that id`);

function refusal(
  code: 'access.bad_key' | 'access.last_admin' | 'server.not_found',
  message: string,
): NotPossible {
  return Object.assign(new NotPossible(), { code, message, details: null });
}
