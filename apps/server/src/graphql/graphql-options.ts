import type { ApolloDriverConfig } from '@nestjs/apollo';

/** Settings of GraphQL: code first, schema in memory, subscriptions by graphql-ws. */
export function createGraphqlOptions(): Omit<ApolloDriverConfig, 'driver'> {
  return {
    path: '/graphql',
    autoSchemaFile: true,
    sortSchema: true,
    playground: false,
    introspection: true,
    subscriptions: {
      'graphql-ws': {
        onConnect: ({ connectionParams, extra }) => {
          const key = connectionParams?.['key'];
          Object.assign(extra as object, {
            headers: typeof key === 'string' ? { authorization: `Bearer ${key}` } : {},
          });
        },
      },
    },
    context: (request: unknown) =>
      typeof request === 'object' && request !== null && 'extra' in request ? request : { req: request },
  };
}
