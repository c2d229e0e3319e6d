/** @file Facts about the shape of the whole GraphQL schema. */
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLUnionType, isNonNullType, isUnionType } from 'graphql';
import { describe, expect, it } from 'vitest';

const schema = buildSchema(readFileSync(new URL('../../apps/server/schema.gql', import.meta.url), 'utf8'));
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const unions = types.filter((type): type is GraphQLUnionType => isUnionType(type));

describe('the GraphQL schema', () => {
  it('lets each root field fail alone', () => {
    for (const root of [schema.getQueryType(), schema.getMutationType()])
      for (const { name, type } of Object.values(root?.getFields() ?? {}))
        expect([name, isNonNullType(type)]).toEqual([name, false]);
  });

  it('tells every refusal with code, message and remedy', () => {
    const refusals = schema.getImplementations(schema.getType('Refusal') as never).objects;
    expect(refusals.length).toBeGreaterThan(3);
    for (const union of unions) {
      const others = union.getTypes().filter((member) => !refusals.includes(member));
      expect([union.name, others.length > 0 && others.length < union.getTypes().length]).toEqual([
        union.name,
        true,
      ]);
    }
  });
});
