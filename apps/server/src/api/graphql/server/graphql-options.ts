import type { ApolloServerPlugin } from '@apollo/server';
import type { ApolloDriverConfig } from '@nestjs/apollo';
import { OperationTypeNode } from 'graphql';
import type { CallerHolder } from '../../access/request-context.js';
import type { GraphqlHandler } from './graphql-handler.js';

/** Settings of GraphQL over HTTP: code first, one operation per request, guards on every field. */
export function createGraphqlOptions(handler: GraphqlHandler): Omit<ApolloDriverConfig, 'driver'> {
  return {
    path: '/graphql',
    // Apollo validates the schema at start anyway; see schema-driver.ts
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
    parseOptions: { maxTokens: handler.maxTokens },
    autoTransformHttpErrors: false,
    formatError: (_formatted, error) => handler.format(error),
    context: (request: CallerHolder) => handler.admit(request),
    plugins: [limits(handler)],
  };
}

function limits(handler: GraphqlHandler): ApolloServerPlugin {
  return {
    requestDidStart: () =>
      Promise.resolve({
        didResolveOperation: async ({ schema, document, request, operation }) => {
          if (operation?.operation === OperationTypeNode.SUBSCRIPTION) handler.refuseSubscription();
          handler.check(schema, document, request);
          return Promise.resolve();
        },
      }),
  };
}
