/** @file Hostile GraphQL: every argument of apps/server/schema.gql, and documents that are wrong as documents. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  buildSchema,
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { numbers, shapes, someOf, texts } from './values.js';
import type { Role } from './world.js';

/** An operation as it is sent, as JSON text, as variables hold numbers that JavaScript cannot. */
export interface GraphqlCase {
  readonly name: string;
  readonly as?: Role;
  readonly query: string;
  /** JSON */
  readonly variables?: string;
  readonly operationName?: string;
}

const schema = buildSchema(
  readFileSync(fileURLToPath(new URL('../../apps/server/schema.gql', import.meta.url)), 'utf8'),
);
const json = (value: unknown): string => JSON.stringify(value);
const textNames = Object.keys(texts);

/** JSON of a value that is let in, or nearly. */
function fits(name: string, type: GraphQLInputType): string {
  if (isNonNullType(type)) return fits(name, type.ofType);
  if (isListType(type)) return `[${fits(name, type.ofType)}]`;
  if (isInputObjectType(type)) {
    const needed = Object.values(type.getFields()).filter(isRequiredInputField);
    return `{${needed.map((field) => `${json(field.name)}:${fits(field.name, field.type)}`).join(',')}}`;
  }
  if (isScalarType(type)) {
    if (['Int', 'Float', 'SafeInt'].includes(type.name)) return '1';
    if (type.name === 'Boolean') return 'true';
    if (type.name === 'DateTime') return '"2026-01-01T00:00:00Z"';
    return /run|^ids?$/i.test(name) ? '"{scratch}"' : '"x"';
  }
  const [first] = 'getValues' in type ? type.getValues() : [];
  return json(first?.name ?? 'x');
}

/** Hostile JSON for a type, with what is wrong with it. */
function hostile(type: GraphQLInputType, salt: number): [what: string, value: string][] {
  if (isNonNullType(type)) return hostile(type.ofType, salt);
  if (isListType(type)) {
    const inside = hostile(type.ofType, salt).slice(0, 2);
    const many = inside[0]?.[1] ?? '"x"';
    return [
      ...inside.map(([what, value]): [string, string] => [`a list of ${what}`, `[${value}]`]),
      [
        'a list of 50,000',
        `[${Array.from({ length: 50_000 }, () => many.slice(0, 12)).every((x) => x === many) ? Array.from({ length: 50_000 }, () => many).join(',') : Array.from({ length: 50_000 }, (_, i) => `"${i}"`).join(',')}]`,
      ],
    ];
  }
  const name = getNamedType(type).name;
  if (['Int', 'Float', 'SafeInt'].includes(name))
    return someOf(numbers, 3, salt).map((number) => [number, number]);
  if (name === 'Boolean') return [['a text as truth', '"true"']];
  if (name === 'DateTime')
    return [
      '+275760-09-14T00:00:00Z',
      '-271821-04-19T00:00:00Z',
      '2026-02-30',
      '1e300',
      '',
      'a'.repeat(50_000),
    ].map((text) => [`a moment ${text.slice(0, 20)}`, json(text)]);
  if (isInputObjectType(type)) return [];
  if (name === 'JSON')
    return someOf(Object.keys(shapes), 6, salt).map((shape) => [shape, shapes[shape] ?? '']);
  return ['a NUL', ...someOf(textNames, 2, salt)].map((text) => [text, json(texts[text])]);
}

/** Operations with one argument, or one field of one, that is hostile. */
function inArguments(
  kind: 'query' | 'mutation' | 'subscription',
  field: GraphQLField<unknown, unknown>,
  at: number,
) {
  // it loads all plugins anew, whatever it is told
  if (field.name === 'reloadPlugins') return [];
  return field.args.flatMap((argument, nth): GraphqlCase[] => {
    const salt = at * 3 + nth * 7;
    const type = isNonNullType(argument.type) ? argument.type.ofType : argument.type;
    const values: [string, string][] = isInputObjectType(type)
      ? Object.values(type.getFields()).flatMap((inner, index) =>
          hostile(inner.type, salt + index * 5).map(([what, value]): [string, string] => [
            `${inner.name}: ${what}`,
            objectWith(type, inner.name, value),
          ]),
        )
      : hostile(argument.type, salt);
    return values.map(([what, value]) => operationWith(kind, field, argument, what, value));
  });
}

function objectWith(type: GraphQLInputType, name: string, value: string): string {
  if (!isInputObjectType(type)) return value;
  const rest = Object.values(type.getFields()).filter(
    (field) => isRequiredInputField(field) && field.name !== name,
  );
  return `{${[...rest.map((field) => `${json(field.name)}:${fits(field.name, field.type)}`), `${json(name)}:${value}`].join(',')}}`;
}

function operationWith(
  kind: string,
  field: GraphQLField<unknown, unknown>,
  hostileArgument: GraphQLArgument,
  what: string,
  value: string,
): GraphqlCase {
  // an estimate times the machine, which takes seconds
  const args = field.args.filter(
    (argument) =>
      argument === hostileArgument || isRequiredArgument(argument) || argument.name === 'estimate',
  );
  const given = args.map((argument) => {
    const fit = argument.name === 'estimate' ? 'false' : fits(argument.name, argument.type);
    return `${json(argument.name)}:${argument === hostileArgument ? value : fit}`;
  });
  const head = `${kind} (${args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ')})`;
  const call = `${field.name}(${args.map(({ name }) => `${name}: $${name}`).join(', ')})`;
  const isLeaf = isScalarType(getNamedType(field.type));
  return {
    name: `${kind} ${field.name}, ${hostileArgument.name}: ${what}`,
    query: `${head} { ${call} ${isLeaf ? '' : '{ __typename }'} }`,
    variables: `{${given.join(',')}}`,
  };
}

function ofType(kind: 'query' | 'mutation' | 'subscription'): GraphqlCase[] {
  const types = {
    query: schema.getQueryType(),
    mutation: schema.getMutationType(),
    subscription: schema.getSubscriptionType(),
  };
  return Object.values(types[kind]?.getFields() ?? {}).flatMap((field, at) => inArguments(kind, field, at));
}

const repeat = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');
const nest = (count: number, open: string, inside: string, close: string): string =>
  open.repeat(count) + inside + close.repeat(count);

/** Documents that no server has to execute. */
export const documents: readonly GraphqlCase[] = [
  ...Object.entries(texts).map(([name, text]) => ({ name: `a document of ${name}`, query: text })),
  ...Object.entries(texts).map(([name, text]) => ({
    name: `a document with a text of ${name}`,
    query: `{ run(id: ${json(text)}) { id } }`,
  })),
  { name: 'escaped quotation marks, half a megabyte', query: '\\"'.repeat(250_000) },
  { name: 'quotation marks, half a megabyte', query: '"'.repeat(500_000) },
  { name: 'triple quotation marks that are escaped', query: '\\"""'.repeat(100_000) },
  { name: 'an open block of text', query: `"""${'\\"""'.repeat(100_000)}` },
  { name: 'comments', query: '#\n'.repeat(200_000) },
  { name: 'commas', query: ','.repeat(500_000) },
  { name: 'braces', query: '{'.repeat(300_000) },
  { name: 'brackets of a value', query: `{ run(id: ${nest(100_000, '[', '', ']')}) { id } }` },
  { name: 'objects of a value', query: `{ run(id: ${nest(50_000, '{a:', '1', '}')}) { id } }` },
  { name: 'brackets of a type', query: `query ($a: ${nest(50_000, '[', 'Int', ']')}) { version }` },
  { name: 'bangs', query: `query ($a: Int${'!'.repeat(50_000)}) { version }` },
  { name: 'fields 5,000 deep', query: nest(5000, '{ a ', '', '}') },
  { name: 'parents 200 deep', query: `{ run(id: "{scratch}") { ${nest(200, 'parent { ', 'id', '}')} } }` },
  { name: 'inline fragments 5,000 deep', query: `{ ${nest(5000, '... { ', 'version', '}')} }` },
  { name: '5,000 aliases', query: `{ ${repeat(5000, (i) => `a${i}: version`)} }` },
  {
    name: '900 aliases of runs',
    query: `{ ${repeat(900, (i) => `a${i}: runs(first: 500) { nodes { id } }`)} }`,
  },
  {
    name: '20 comparisons',
    query: `{ ${repeat(20, (i) => `a${i}: compareRuns(ids: ["{scratch}", "{scratch}"], last: 1000000) { __typename }`)} }`,
  },
  {
    name: '20 audit checks',
    as: 'admin',
    query: `{ ${repeat(20, (i) => `a${i}: auditCheck { __typename }`)} }`,
  },
  { name: '1,900 times one field', query: `{ ${'version '.repeat(1900)} }` },
  { name: '30,000 times one field', query: `{ ${'version '.repeat(30_000)} }` },
  { name: '1,000 directives', query: `{ version ${'@include(if: true) '.repeat(600)} }` },
  { name: '20,000 directives', query: `{ version ${'@a '.repeat(20_000)} }` },
  { name: '400 directives on the operation', query: `query ${repeat(400, (i) => `@d${i}`)} { version }` },
  { name: 'a fragment of itself', query: '{ ...a } fragment a on Query { ...a }' },
  {
    name: 'fragments in a circle',
    query: `{ ...f0 } ${repeat(200, (i) => `fragment f${i} on Query { ...f${(i + 1) % 200} }`)}`,
  },
  {
    name: 'fragments that double',
    query: `{ ...f0 } ${repeat(30, (i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`)} fragment f30 on Query { version }`,
  },
  {
    name: 'fragments that double, with aliases',
    query: `{ ...f0 } ${repeat(30, (i) => `fragment f${i} on Query { a${i}: version ...f${i + 1} b${i}: version ...f${i + 1} }`)} fragment f30 on Query { version }`,
  },
  {
    name: '700 unused fragments',
    query: `{ version } ${repeat(700, (i) => `fragment f${i} on Query { version }`)}`,
  },
  {
    name: '350 fragments that overlap',
    query: `{ ${repeat(350, (i) => `...f${i}`)} } ${repeat(350, (i) => `fragment f${i} on Query { run(id: "x") { id } }`)}`,
  },
  {
    name: '600 fields that conflict',
    query: `{ run(id: "{scratch}") { ${repeat(600, (i) => (i % 2 === 0 ? 'a: id' : 'a: name'))} } }`,
  },
  { name: '500 operations', query: repeat(500, (i) => `query q${i} { version }`) },
  { name: '500 operations of one name', query: repeat(500, () => 'query q { version }'), operationName: 'q' },
  { name: 'an operation that is not there', query: 'query q { version }', operationName: 'r' },
  {
    name: 'an operation named after a prototype',
    query: 'query __proto__ { version }',
    operationName: '__proto__',
  },
  { name: '900 variables', query: `query (${repeat(900, (i) => `$v${i}: Int`)}) { version }` },
  { name: 'variables nobody knows', query: '{ version }', variables: shapes['many keys'] ?? '' },
  { name: 'variables of a prototype', query: '{ version }', variables: shapes['a prototype'] ?? '' },
  { name: 'variables nested deep', query: '{ version }', variables: `{"a":${shapes['a list of lists']}}` },
  {
    name: 'a spec nested 20,000 deep',
    query: 'mutation ($s: JSON) { planRun(input: { spec: $s, estimate: false }) { __typename } }',
    variables: `{"s":${shapes['an object nested deep']}}`,
  },
  {
    name: 'a spec with a function',
    query: 'mutation ($s: JSON) { planRun(input: { spec: $s, estimate: false }) { __typename } }',
    variables: '{"s":{"toString":1,"then":2,"environment":{"use":{"toString":3}}}}',
  },
  {
    name: '90,000 states in a filter',
    query: 'query ($f: RunFilter) { runs(filter: $f) { nodes { id } } }',
    variables: `{"f":{"states":[${'"queued",'.repeat(90_000)}"queued"]}}`,
  },
  {
    name: '90,000 states of jobs',
    query: 'query ($f: JobFilter) { jobs(filter: $f) { nodes { id } } }',
    variables: `{"f":{"states":[${'"queued",'.repeat(90_000)}"queued"]}}`,
  },
  {
    name: '90,000 runs',
    query: 'query ($r: [ID!]!) { metricHistory(runIds: $r, names: ["a"]) { __typename } }',
    variables: `{"r":[${'"x",'.repeat(90_000)}"x"]}`,
  },
  {
    name: '90,000 metrics',
    query: 'query ($n: [String!]!) { metricHistory(runIds: ["{scratch}"], names: $n) { __typename } }',
    variables: `{"n":[${Array.from({ length: 60_000 }, (_, i) => `"m${i}"`).join(',')}]}`,
  },
  {
    name: 'steps the wrong way round',
    query:
      '{ metricHistory(runIds: ["{scratch}"], names: ["policy/loss"], fromStep: 50, toStep: -50) { __typename } }',
  },
  {
    name: 'rewards the wrong way round',
    query:
      '{ trajectories(filter: { runIds: ["{scratch}"], minReward: 1e308, maxReward: -1e308 }) { nodes { id } } }',
  },
  { name: 'a number beyond Int', query: '{ runs(first: 99999999999999999999) { nodes { id } } }' },
  { name: 'a number of 100,000 digits', query: `{ runs(first: ${'9'.repeat(100_000)}) { nodes { id } } }` },
  {
    name: 'a Float beyond numbers',
    query: '{ trajectories(filter: { runIds: ["{scratch}"], minReward: 1e999 }) { nodes { id } } }',
  },
  { name: 'an enum nobody knows', query: '{ runs(filter: { states: [__proto__] }) { nodes { id } } }' },
  {
    name: 'the whole schema, deep',
    query: `{ __schema { types { ${nest(15, 'fields { type { ', 'name', '} }')} } } }`,
  },
  {
    name: 'the schema, 40 times',
    query: `{ ${repeat(40, (i) => `a${i}: __schema { types { name fields { name type { name } } } }`)} }`,
  },
  { name: 'a type nobody knows', query: '{ __type(name: "__proto__") { name fields { name } } }' },
  {
    name: 'a schema instead of an operation',
    query: 'type Query { a: Int } extend schema @x { query: Query }',
  },
  { name: 'a subscription', query: 'subscription { runChanged { id } }' },
  { name: 'a subscription of two fields', query: 'subscription { runChanged { id } jobChanged { id } }' },
  {
    name: 'a subscription from the far future',
    query: 'subscription { runEvents(runId: "{scratch}", after: 1e300) { __typename } }',
  },
  {
    name: 'a subscription from before the beginning',
    query: 'subscription { runMetrics(runs: { runId: "{scratch}", after: -1.5 }) { __typename } }',
  },
  ...(['none', 'wrong', 'worker'] as const).map((as) => ({
    name: `fields 5,000 deep, as ${as}`,
    as,
    query: nest(5000, '{ a ', '', '}'),
  })),
];

/** Over HTTP and over sockets alike. */
export const operations: readonly GraphqlCase[] = [...ofType('query'), ...ofType('mutation')];
export const subscriptions: readonly GraphqlCase[] = ofType('subscription');

export const bodyOf = ({ query, variables, operationName }: GraphqlCase): string =>
  `{"query":${json(query)}${variables === undefined ? '' : `,"variables":${variables}`}${operationName === undefined ? '' : `,"operationName":${json(operationName)}`}}`;

/** Bodies of POST /graphql that hold no operation. */
export const bodies: Readonly<Record<string, string>> = {
  ...shapes,
  'a batch of 1,000': `[${'{"query":"{ version }"},'.repeat(999)}{"query":"{ version }"}]`,
  'a query that is a number': '{"query":1e300}',
  'a query that is a list': '{"query":["{ version }"]}',
  'a query that is an object': '{"query":{"toString":"x"}}',
  'no query': '{"variables":{}}',
  'two queries': '{"query":"{ version }","query":"{ nothing }"}',
  'variables that are a text': '{"query":"{ version }","variables":"{}"}',
  'variables that are a list': '{"query":"{ version }","variables":[1,2]}',
  'variables that are no JSON': '{"query":"{ version }","variables":{a}}',
  'a name that is a number': '{"query":"{ version }","operationName":7}',
  'a hash of a query that nobody kept': '{"extensions":{"persistedQuery":{"version":1,"sha256Hash":"aa"}}}',
  'extensions of a prototype':
    '{"query":"{ version }","extensions":{"__proto__":{"x":1},"persistedQuery":null}}',
  'a query cut off': '{"query":"{ version',
};
