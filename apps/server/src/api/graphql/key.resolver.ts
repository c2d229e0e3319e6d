import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { type Page } from '../../core/database/page.js';
import { PageArgs } from './page-type.js';
import { orNotPossible } from './or-refuse.js';
import { Access } from '../access/access.decorator.js';
import { ApiKey } from '../../core/database/entities/api-key.js';
import { KeyService } from '../../core/access/key.service.js';
import { ApiKeyPage, CreateKeyInput, CreateKeyResult, RevokeKeyResult } from './key.types.js';

const keyRefusals = ['access.bad_key', 'access.last_admin', 'server.not_found'] as const;

@Resolver(() => ApiKey)
@Access('admin')
export class KeyResolver {
  constructor(private readonly service: KeyService) {}

  @Query(() => ApiKeyPage, { description: 'All keys, newest first, revoked ones too. Needs an admin key.' })
  keys(@Args() page: PageArgs): Promise<Page<ApiKey>> {
    return this.service.list(page);
  }

  @Mutation(() => CreateKeyResult, {
    description: 'Makes a key; its secret is shown this once. Needs an admin key.',
  })
  createKey(
    @Args('input', { type: () => CreateKeyInput, description: 'What the key is to be.' })
    input: CreateKeyInput,
  ): Promise<typeof CreateKeyResult> {
    return orNotPossible(() => this.service.createFrom({ ...input }), keyRefusals);
  }

  @Mutation(() => RevokeKeyResult, {
    description: 'Ends a key at once and for good, and closes its sockets. Needs an admin key.',
  })
  revokeKey(
    @Args('id', { type: () => ID, description: 'The key to end.' }) id: string,
  ): Promise<typeof RevokeKeyResult> {
    return orNotPossible(() => this.service.revoke(id), keyRefusals);
  }

  @Mutation(() => CreateKeyResult, {
    description:
      'Replaces a key by a new one of the same name, role and projects; the old one ends at once. Needs an admin key.',
  })
  rotateKey(
    @Args('id', { type: () => ID, description: 'The key to replace.' }) id: string,
  ): Promise<typeof CreateKeyResult> {
    return orNotPossible(() => this.service.rotate(id), keyRefusals);
  }
}
