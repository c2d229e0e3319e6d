import type { ApolloServerPlugin } from '@apollo/server';
import type { ApolloDriverConfig } from '@nestjs/apollo';
import { OperationTypeNode } from 'graphql';
import type { CallerHolder } from '../access/request-context.js';
import type { GraphqlDoor } from './graphql-door.js';

/** Settings of GraphQL over HTTP: code first, schema in memory, one operation per request, guards on every field. */
export function createGraphqlOptions(door: GraphqlDoor): Omit<ApolloDriverConfig, 'driver'> {
  return {
    path: '/graphql',
    autoSchemaFile: true,
    sortSchema: true,
    // asks the whole schema of itself; Apollo checks it at the start anyway
    buildSchemaOptions: { skipCheck: true },
    playground: false,
    graphiql: false,
    introspection: true,
    fieldResolverEnhancers: ['guards'],
    includeStacktraceInErrorResponses: false,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    csrfPrevention: false,
    cache: 'bounded',
    parseOptions: { maxTokens: door.maxTokens },
    autoTransformHttpErrors: false,
    formatError: (_formatted, error) => door.format(error),
    context: (request: CallerHolder) => door.admit(request),
    plugins: [limits(door)],
  };
}

function limits(door: GraphqlDoor): ApolloServerPlugin {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation: async ({ schema, document, request, operation }) => {
          if (operation?.operation === OperationTypeNode.SUBSCRIPTION) door.refuseSubscription();
          door.check(schema, document, request);
          return Promise.resolve();
        },
      }),
  };
}
