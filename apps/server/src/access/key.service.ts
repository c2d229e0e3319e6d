import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { AppError } from '@espalier/contracts';
import type { Role } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { createId } from '../database/create-id.js';
import { ApiKey } from './api-key.entity.js';
import type { Caller } from './caller.js';

const prefixLength = 12;

/** What a new key is to be. */
export interface KeyRequest {
  readonly name: string;
  readonly role: Role;
  readonly projects: readonly string[];
  readonly maxRunning?: number | null;
  /** default: a random one */
  readonly secret?: string;
}

/** Makes keys and recognises them. */
@Injectable()
export class KeyService {
  constructor(private readonly source: DataSource) {}

  /** Makes a key; the secret is in the answer and nowhere else. */
  async create(request: KeyRequest): Promise<{ key: ApiKey; secret: string }> {
    const secret = request.secret ?? `esp_${randomBytes(32).toString('base64url')}`;
    const key: ApiKey = {
      ...{ id: createId('key'), name: request.name, role: request.role, projects: [...request.projects] },
      ...{
        prefix: secret.slice(0, prefixLength),
        hash: hashOf(secret),
        maxRunning: request.maxRunning ?? null,
      },
      ...{ createdAt: Date.now(), lastUsedAt: null, revokedAt: null },
    };
    await this.source.getRepository(ApiKey).insert(key);
    return { key, secret };
  }

  /** @throws access.unauthenticated when there is no key, an unknown one or a revoked one */
  async authenticate(secret: string | undefined): Promise<Caller> {
    if (secret === undefined || secret === '') throw unauthenticated('no key was given');
    const key = await this.source.getRepository(ApiKey).findOneBy({ prefix: secret.slice(0, prefixLength) });
    if (key === null || !isEqual(hashOf(secret), key.hash)) throw unauthenticated('the key is unknown');
    if (key.revokedAt !== null) throw unauthenticated(`the key "${key.name}" was revoked`);
    return { keyId: key.id, keyName: key.name, role: key.role, projects: key.projects };
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

function isEqual(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(a, 'hex'), Buffer.from(b, 'hex'));
}

function unauthenticated(finding: string): AppError {
  return new AppError(
    'access.unauthenticated',
    `read the API key: ${finding}; send \`authorization: Bearer <key>\`, or auth: { key } on a socket`,
  );
}
