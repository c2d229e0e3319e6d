import { Args, ID, Mutation, Query, Resolver } from '@nestjs/graphql';
import { type Page, PageArgs } from '../graphql/page.js';
import type { NotPossible } from '../graphql/refusal.js';
import { Access } from './access.decorator.js';
import { ApiKey } from './api-key.entity.js';
import { KeyService } from './key.service.js';
import {
  ApiKeyPage,
  type CreatedKey,
  CreateKeyInput,
  CreateKeyResult,
  RevokeKeyResult,
} from './key.types.js';

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
  ): Promise<CreatedKey | NotPossible> {
    return this.service.createFrom({ ...input });
  }

  @Mutation(() => RevokeKeyResult, {
    description: 'Ends a key at once and for good, and closes its sockets. Needs an admin key.',
  })
  revokeKey(
    @Args('id', { type: () => ID, description: 'The key to end.' }) id: string,
  ): Promise<ApiKey | NotPossible> {
    return this.service.revoke(id);
  }

  @Mutation(() => CreateKeyResult, {
    description:
      'Replaces a key by a new one of the same name, role and projects; the old one ends at once. Needs an admin key.',
  })
  rotateKey(
    @Args('id', { type: () => ID, description: 'The key to replace.' }) id: string,
  ): Promise<CreatedKey | NotPossible> {
    return this.service.rotate(id);
  }
}
