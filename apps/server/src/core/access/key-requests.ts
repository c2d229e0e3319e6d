/** @file Requests about keys. */
import { type Role, roles } from '@espalier/protocol';
import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import type { ApiKey } from '../database/entities/api-key.js';
import { orderQuery, pageQuery } from '../database/page.js';

export class CreatedKey {
  key!: ApiKey;
  secret!: string;
}

/** Body of `POST /api/v1/keys`. */
export const createKeyBody = z.strictObject({
  name: text(100).trim().min(1).describe('who or what will use it'),
  role: z.enum(Object.keys(roles) as [Role]).describe('what it may do'),
  projects: z
    .array(text(200, { least: 1 }))
    .min(1)
    .max(100)
    .default(['*'])
    .describe('projects it may see; `*` stands for all; admin and worker keys see all'),
  maxRunning: z
    .int()
    .min(0)
    .max(1_000_000)
    .nullish()
    .describe('jobs of this key that may run at once; absent: no limit'),
});

/** What a list of keys can be ordered by. */
export const keyOrderFields = {
  createdAt: 'when it was created',
  lastUsedAt: 'when it was last used; keys that were never used count as the newest',
  name: 'its name',
} as const;
export type KeyOrderField = keyof typeof keyOrderFields;

/** `GET /keys` */
export const keysQuery = pageQuery.extend(orderQuery(keyOrderFields));
