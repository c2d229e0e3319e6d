import { Global, Module } from '@nestjs/common';
import { GraphqlDoor } from './graphql-door.js';

/** What stands before every GraphQL operation. */
@Global()
@Module({ providers: [GraphqlDoor], exports: [GraphqlDoor] })
export class GraphqlDoorModule {}
