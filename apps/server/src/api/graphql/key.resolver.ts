import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { type Page } from '../../core/database/page.js';
import { PageArgs } from './connection.js';
import { as, InvalidInput, NotFound, NotPossible, orRefuse } from './refusal.js';
import { Access } from '../access/access.decorator.js';
import { ApiKey } from '../../core/database/entities/api-key.js';
import { KeyService } from '../../core/access/key.service.js';
import {
  ApiKeyConnection,
  CreateKeyInput,
  CreateKeyResult,
  RevokeKeyResult,
  RotateKeyResult,
} from './key.types.js';

@Resolver(() => ApiKey)
@Access('admin')
export class KeyResolver {
  constructor(private readonly service: KeyService) {}

  @Query(() => ApiKeyConnection, {
    nullable: true,
    description: 'All keys, newest first, revoked ones too. Needs an admin key.',
  })
  keys(@Args() page: PageArgs): Promise<Page<ApiKey>> {
    return this.service.list(page);
  }

  @Mutation(() => CreateKeyResult, {
    nullable: true,
    description: 'Makes a key; its secret is shown this once. Needs an admin key.',
  })
  createKey(
    @Args('input', { type: () => CreateKeyInput, description: 'What the key is to be.' })
    input: CreateKeyInput,
  ): Promise<typeof CreateKeyResult> {
    return orRefuse([InvalidInput], async () =>
      as('CreatedKey', await this.service.createFrom({ ...input })),
    );
  }

  @Mutation(() => RevokeKeyResult, {
    nullable: true,
    description: 'Ends a key at once and for good, and closes its sockets. Needs an admin key.',
  })
  revokeKey(
    @Args('id', { type: () => ID, description: 'The key to end.' }) id: string,
  ): Promise<typeof RevokeKeyResult> {
    return orRefuse([NotFound, NotPossible], async () => as('ApiKey', await this.service.revoke(id)));
  }

  @Mutation(() => RotateKeyResult, {
    nullable: true,
    description:
      'Replaces a key by a new one of the same name, role and projects; the old one ends at once. Needs an admin key.',
  })
  rotateKey(
    @Args('id', { type: () => ID, description: 'The key to replace.' }) id: string,
  ): Promise<typeof RotateKeyResult> {
    return orRefuse([InvalidInput, NotFound], async () => as('CreatedKey', await this.service.rotate(id)));
  }
}
