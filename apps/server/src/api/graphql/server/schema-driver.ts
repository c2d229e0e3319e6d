/**
 * @file Apollo's driver with a schema that is built once. Nest prints the schema that the classes describe, parses the text, builds
 * a second schema of it for the resolvers and copies them back to the first, which takes half of a server's start after loading.
 * The explorer of resolvers has no public entry: after an upgrade of @nestjs/graphql see that its path and `explore` are as before.
 */
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Inject, Injectable } from '@nestjs/common';
import { GraphQLSchemaFactory } from '@nestjs/graphql';
import { ResolversExplorerService } from '@nestjs/graphql/dist/services/resolvers-explorer.service.js';
import {
  type GraphQLFieldResolver,
  GraphQLObjectType,
  type GraphQLSchema,
  lexicographicSortSchema,
} from 'graphql';

type Resolver = GraphQLFieldResolver<unknown, unknown>;
/** What Nest finds for a field; that of a subscription has two parts. */
type Found = Resolver | { readonly subscribe: Resolver; readonly resolve?: Resolver };

@Injectable()
export class SchemaDriver extends ApolloDriver {
  @Inject() private readonly factory!: GraphQLSchemaFactory;
  @Inject() private readonly explorer!: ResolversExplorerService;

  override async generateSchema({ buildSchemaOptions = {} }: ApolloDriverConfig): Promise<GraphQLSchema> {
    const schema = await this.factory.create(this.explorer.getAllCtors(), buildSchemaOptions);
    const found = this.explorer.explore() as Readonly<Record<string, Readonly<Record<string, Found>>>>;
    for (const [type, fields] of Object.entries(found))
      for (const [field, resolver] of Object.entries(fields)) attach(schema, type, field, resolver);
    return lexicographicSortSchema(schema);
  }
}

function attach(schema: GraphQLSchema, type: string, name: string, found: Found): void {
  const object = schema.getType(type);
  const field = object instanceof GraphQLObjectType ? object.getFields()[name] : undefined;
  if (field === undefined)
    throw new TypeError(`resolve ${type}.${name}: the schema has no such field of an object`);
  Object.assign(field, typeof found === 'function' ? { resolve: found } : found);
}
