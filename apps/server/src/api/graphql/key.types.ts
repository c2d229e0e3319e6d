/** @file What GraphQL takes and gives for keys. */
import type { Role } from '@espalier/protocol';
import { createUnionType, Field, InputType, Int } from '@nestjs/graphql';
import { CreatedKey } from '../../core/access/key-requests.js';
import { ApiKey } from '../../core/database/entities/api-key.js';
import { connectionOf } from './connection.js';
import { InvalidInput, NotFound, NotPossible, resolveType } from './refusal.js';
import { RoleEnum } from './enums.js';

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

export const ApiKeyConnection = connectionOf(ApiKey, 'ApiKey');

export const CreateKeyResult = createUnionType({
  name: 'CreateKeyResult',
  description: 'The new key, or why there is none.',
  types: () => [CreatedKey, InvalidInput] as const,
  resolveType,
});

export const RotateKeyResult = createUnionType({
  name: 'RotateKeyResult',
  description: 'The key that replaces the old one, or why there is none.',
  types: () => [CreatedKey, InvalidInput, NotFound] as const,
  resolveType,
});

export const RevokeKeyResult = createUnionType({
  name: 'RevokeKeyResult',
  description: 'The revoked key, or why it stays.',
  types: () => [ApiKey, NotFound, NotPossible] as const,
  resolveType,
});
