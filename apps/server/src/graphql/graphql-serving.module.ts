import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Global, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { GraphqlDoor } from './graphql-door.js';
import { createGraphqlOptions } from './graphql-options.js';
import { GraphqlSocket } from './graphql-socket.js';

/** GraphQL over HTTP and over sockets. */
@Global()
@Module({
  imports: [
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: ApolloDriver,
      useFactory: createGraphqlOptions,
      inject: [GraphqlDoor],
    }),
  ],
  providers: [GraphqlSocket],
  exports: [GraphqlSocket, GraphQLModule],
})
export class GraphqlServingModule {}
