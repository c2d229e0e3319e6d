import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { CreatedKey, createKeyBody, keyOrderFields } from '../../core/access/key-requests.js';
import { KeyService } from '../../core/access/key.service.js';
import { ApiKey } from '../../core/database/entities/api-key.js';
import type { Page } from '../../core/database/page.js';
import { Access } from '../access/access.decorator.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { RoleEnum } from './enums.js';
import { as, Input, InvalidInput, NotFound, NotPossible, orRefuse, resultOf } from './refusal.js';
import { idOf, inputOfSchema } from './types/from-schema.js';
import { z } from 'zod';

const ApiKeyConnection = connectionOf(ApiKey, 'ApiKey');
const ApiKeyOrder = orderOf('ApiKey', keyOrderFields);
type ApiKeyOrder = InstanceType<typeof ApiKeyOrder>;

const CreateKeyInput = inputOfSchema('CreateKeyInput', 'A key to create.', createKeyBody, { role: RoleEnum });
type CreateKeyInput = InstanceType<typeof CreateKeyInput>;

const ofKey = z.object({ keyId: idOf('key') });

const RevokeKeyInput = inputOfSchema('RevokeKeyInput', 'A key to revoke.', ofKey, { keyId: ID });
type RevokeKeyInput = InstanceType<typeof RevokeKeyInput>;

const RotateKeyInput = inputOfSchema('RotateKeyInput', 'A key to rotate.', ofKey, { keyId: ID });
type RotateKeyInput = InstanceType<typeof RotateKeyInput>;

const CreateKeyResult = resultOf(
  'CreateKeyResult',
  'The new key, or why there is none.',
  CreatedKey,
  InvalidInput,
);
const RotateKeyResult = resultOf(
  'RotateKeyResult',
  'The key that replaces the old one, or why there is none.',
  CreatedKey,
  InvalidInput,
  NotFound,
);
const RevokeKeyResult = resultOf(
  'RevokeKeyResult',
  'The revoked key, or why it stays.',
  ApiKey,
  NotFound,
  NotPossible,
);

@Resolver(() => ApiKey)
@Access('admin')
export class KeyResolver {
  constructor(private readonly service: KeyService) {}

  @Query(() => ApiKeyConnection, {
    nullable: true,
    description: 'All keys, including revoked ones. Needs an admin key.',
  })
  keys(
    @Args() page: PageArgs,
    @Args('orderBy', { type: () => ApiKeyOrder, nullable: true, description: 'Default: newest first.' })
    orderBy: ApiKeyOrder | null | undefined,
  ): Promise<Page<ApiKey>> {
    return this.service.list(page, orderBy ?? undefined);
  }

  @Mutation(() => CreateKeyResult, {
    nullable: true,
    description: 'Creates a key; its secret is shown only once. Needs an admin key.',
  })
  createKey(@Input(CreateKeyInput) input: CreateKeyInput): Promise<typeof CreateKeyResult> {
    return orRefuse([InvalidInput], async () =>
      as('CreatedKey', await this.service.createFrom({ ...input })),
    );
  }

  @Mutation(() => RevokeKeyResult, {
    nullable: true,
    description: 'Revokes a key immediately and permanently, and closes its sockets. Needs an admin key.',
  })
  revokeKey(@Input(RevokeKeyInput) { keyId }: RevokeKeyInput): Promise<typeof RevokeKeyResult> {
    return orRefuse([NotFound, NotPossible], async () => as('ApiKey', await this.service.revoke(keyId)));
  }

  @Mutation(() => RotateKeyResult, {
    nullable: true,
    description:
      'Replaces a key by a new one of the same name, role and projects; the old one ends at once. Needs an admin key.',
  })
  rotateKey(@Input(RotateKeyInput) { keyId }: RotateKeyInput): Promise<typeof RotateKeyResult> {
    return orRefuse([InvalidInput, NotFound], async () => as('CreatedKey', await this.service.rotate(keyId)));
  }
}
