/** @file Facts about the shape of the whole GraphQL schema. */
import { readFileSync } from 'node:fs';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLType,
  type GraphQLUnionType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { describe, expect, it } from 'vitest';

const schema = buildSchema(readFileSync(new URL('../../apps/server/schema.gql', import.meta.url), 'utf8'));
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
const objects = types.filter((type): type is GraphQLObjectType => isObjectType(type));
const unions = types.filter((type): type is GraphQLUnionType => isUnionType(type));

/** Every field of an object and of an input object, by `Type.field`. */
const fields = types.flatMap((type) =>
  isObjectType(type) || isInputObjectType(type)
    ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field] as const)
    : [],
);

/** Fields of any JSON, and who decides on what stands there. */
const anyJson: Readonly<Record<string, string>> = {
  'CreateRunInput.spec': 'options of plugins',
  'PlanRunInput.spec': 'options of plugins',
  'PlayedState.facts': 'the environment decides',
  'Plugin.schema': 'a JSON Schema',
  'Query.runSpecSchema': 'a JSON Schema',
  'Recipe.spec': 'options of plugins',
  'RescoringInput.rewards': 'options of plugins',
  'Run.spec': 'options of plugins',
  'RunPlan.spec': 'options of plugins',
  'SeedGroup.values': 'the value of any option',
  'SpecDifference.values': 'the value of any option',
  'TrajectoryDetail.atif': 'the format of Harbor',
  'TrajectoryTurn.facts': 'the environment decides',
};

describe('the GraphQL schema', () => {
  it('lets each root field fail alone', () => {
    for (const root of [schema.getQueryType(), schema.getMutationType()])
      for (const { name, type } of Object.values(root?.getFields() ?? {}))
        expect([name, isNonNullType(type)]).toEqual([name, false]);
  });

  it('gives every mutation one input object, named after it', () => {
    const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
    expect(mutations.length).toBeGreaterThan(20);
    for (const { name, args } of mutations) {
      const input = `input: ${name.charAt(0).toUpperCase()}${name.slice(1)}Input!`;
      const given = args.map((arg) => `${arg.name}: ${String(arg.type)}`);
      expect([name, given]).toEqual([name, name === 'reloadPlugins' ? [] : [input]]);
    }
  });

  it('tells every refusal with code, message and remedy', () => {
    const { objects: refusals } = schema.getImplementations(schema.getType('Refusal') as never);
    expect(refusals.length).toBeGreaterThan(3);
    const results = unions.filter(({ name }) => name.endsWith('Result'));
    expect(unions.filter((union) => !results.includes(union)).map(({ name }) => name)).toEqual([
      'RunEventBody',
    ]);
    for (const union of results) {
      const members = union.getTypes();
      const refused = members.filter((member) => refusals.includes(member)).length;
      expect([union.name, refused > 0, refused < members.length]).toEqual([union.name, true, true]);
    }
  });

  it('has a type for everything whose shape is known', () => {
    const found = fields.filter(([, { type }]) => nameOf(type) === 'JSON').map(([path]) => path);
    expect(found.sort()).toEqual(Object.keys(anyJson));
  });

  it('has enums in capitals, and none hidden in a description', () => {
    for (const type of types.filter((one) => isEnumType(one)))
      for (const value of type.getValues())
        expect(`${type.name}.${value.name}`).toMatch(/^\w+\.[A-Z][A-Z0-9_]*$/);
    // `a`, `b` or `c`
    const listed = fields.filter(
      ([, { type, description }]) =>
        nameOf(type) === 'String' && /`[\w-]+`(?:,| or) (?:or )?`[\w-]+`/.test(description ?? ''),
    );
    expect(listed.map(([path]) => path)).toEqual([]);
  });

  it('has null where something is missing, and exact whole numbers', () => {
    const marked = fields.filter(([, { description }]) =>
      /(?:^|[;:] )[−-]1\b|[−-]1[:;]|[−-]1 before/.test(description ?? ''),
    );
    expect(marked.map(([path]) => path)).toEqual([]);
    const floats = fields.filter(
      ([path, { type }]) => nameOf(type) === 'Float' && /(cursor|after|bytes|seeds?|head)$/i.test(path),
    );
    expect(floats.map(([path]) => path)).toEqual([]);
  });

  it('pages every list in the same way', () => {
    const connections = objects.filter(({ name }) => name.endsWith('Connection'));
    expect(connections.length).toBeGreaterThan(8);
    for (const connection of connections) {
      const { edges, nodes, pageInfo, totalCount, ...others } = connection.getFields();
      expect(others).toEqual({});
      const edge = getNamedType(typeOf(edges)) as GraphQLObjectType;
      expect(Object.keys(edge.getFields()).sort()).toEqual(['cursor', 'node']);
      expect(String(edge.getFields()['node']?.type)).toBe(itemOf(nodes));
      expect([String(pageInfo?.type), String(totalCount?.type)]).toEqual(['PageInfo!', 'Int!']);
    }
    const paged = objects
      .flatMap((type) => Object.values(type.getFields()).map((field) => [type.name, field] as const))
      .filter(([, field]) => field.args.some(({ name }) => name === 'first'));
    for (const [parent, { name, args, type }] of paged) {
      const given = args.map((arg) => `${arg.name}: ${String(arg.type)}`);
      expect([`${parent}.${name}`, given]).toEqual([
        `${parent}.${name}`,
        expect.arrayContaining(['first: Int', 'after: String', 'last: Int', 'before: String']) as string[],
      ]);
      expect(connections).toContain(getNamedType(type));
    }
    const shown = objects.flatMap((type) => Object.values(type.getFields()));
    const unpaged = shown.filter(
      ({ type, args }) =>
        connections.includes(getNamedType(type) as GraphQLObjectType) &&
        !args.some(({ name }) => name === 'first'),
    );
    expect(unpaged.map(({ name }) => name)).toEqual([]);
  });
});

/** The name of a type, without the wrappers of lists and of what is required. */
const nameOf = (type: GraphQLType): string => getNamedType(type).name;

function typeOf(field: GraphQLField<unknown, unknown> | undefined): GraphQLOutputType {
  if (field === undefined) throw new Error('a connection without edges');
  return field.type;
}

/** The item of a list that has no null in it. */
function itemOf(field: GraphQLField<unknown, unknown> | undefined): string {
  const list = field === undefined ? undefined : getNullableType(field.type);
  return isListType(list) ? String(list.ofType) : 'no list';
}
