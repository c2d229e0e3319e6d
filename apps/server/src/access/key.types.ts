/** @file What GraphQL takes and gives for keys, and the same for REST. */
import { type Role, roles } from '@espalier/protocol';
import { text } from '@espalier/protocol/bounds';
import { createUnionType, Field, InputType, Int, ObjectType } from '@nestjs/graphql';
import { z } from 'zod';
import { pageOf } from '../graphql/page.js';
import { NotPossible } from '../graphql/refusal.js';
import { ApiKey, RoleEnum } from './api-key.entity.js';

@InputType({ description: 'What a new key is to be.' })
export class CreateKeyInput {
  @Field(() => String, { description: 'Who or what will use it; 1 to 100 characters.' })
  name!: string;

  @Field(() => RoleEnum, { description: 'What it may do.' })
  role!: Role;

  @Field(() => [String], {
    defaultValue: ['*'],
    description: 'Projects it may see; `*` stands for all. Admin and worker keys see all.',
  })
  projects!: string[];

  @Field(() => Int, {
    nullable: true,
    description: 'Jobs of this key that may run at once; absent: no limit.',
  })
  maxRunning?: number | null;
}

@ObjectType({ description: 'A new key, with its secret: this is the only time it is shown.' })
export class CreatedKey {
  @Field(() => ApiKey, { description: 'The key.' })
  key!: ApiKey;

  @Field(() => String, {
    description: 'Sent as `authorization: Bearer <secret>`. Keep it; it is stored nowhere.',
  })
  secret!: string;
}

export const ApiKeyPage = pageOf(ApiKey, 'ApiKeyPage');

export const CreateKeyResult = createUnionType({
  name: 'CreateKeyResult',
  description: 'The new key, or why there is none.',
  types: () => [CreatedKey, NotPossible] as const,
  resolveType: (value: object) => ('secret' in value ? CreatedKey : NotPossible),
});

export const RevokeKeyResult = createUnionType({
  name: 'RevokeKeyResult',
  description: 'The revoked key, or why it stays.',
  types: () => [ApiKey, NotPossible] as const,
  resolveType: (value: object) => ('prefix' in value ? ApiKey : NotPossible),
});

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
export type CreateKeyBody = z.infer<typeof createKeyBody>;
