import { Query, Resolver } from '@nestjs/graphql';
import { Access } from '../access/access.decorator.js';

@Resolver()
export class ServerResolver {
  @Query(() => String, { nullable: true, description: 'Version of this server.' })
  @Access('viewer')
  version(): string {
    return '0.1.0';
  }
}
