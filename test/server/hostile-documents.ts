/** @file GraphQL documents that ask for too much, made by rule; each with the codes it may be refused with. */

export interface HostileDocument {
  readonly name: string;
  readonly query: string;
  readonly variables?: Record<string, unknown>;
  readonly codes: readonly string[];
}

const nest = (depth: number, open: string, inside: string): string =>
  `${open} {`.repeat(depth) + inside + '}'.repeat(depth);
const times = (count: number, make: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => make(i)).join(' ');

const strings = (count: number): string[] => Array.from({ length: count }, (_, i) => `x${i}`);

function deep(): HostileDocument[] {
  const codes = ['graphql.too_deep'];
  return [13, 20, 40, 100, 300].flatMap((depth) => [
    {
      name: `children ${depth} deep`,
      query: `{ run(id: "x") { ${nest(depth, 'children { nodes', 'id')}${'}'.repeat(depth)} } }`,
      codes,
    },
    { name: `parents ${depth} deep`, query: `{ run(id: "x") { ${nest(depth, 'parent', 'id')} } }`, codes },
    {
      name: `inline fragments ${depth} deep`,
      query: `{ run(id: "x") { ${nest(depth, '... on Run { parent', 'id')}${'}'.repeat(depth)} } }`,
      codes,
    },
    {
      name: `fragments ${depth} deep`,
      query: `{ run(id: "x") { ...f0 } } ${times(depth, (i) => `fragment f${i} on Run { parent { ...f${i + 1} } }`)} fragment f${depth} on Run { id }`,
      codes,
    },
  ]);
}

function wide(): HostileDocument[] {
  return [
    ...[52, 200, 600].flatMap((count): HostileDocument[] => [
      {
        name: `${count} aliases of a root field`,
        query: `{ ${times(count, (i) => `a${i}: version`)} }`,
        codes: ['graphql.too_costly'],
      },
      {
        name: `${count} aliases of a field of each run`,
        query: `{ runs(first: 500) { nodes { ${times(2 * count, (i) => `a${i}: id`)} } } }`,
        codes: ['graphql.too_costly'],
      },
      {
        name: `${count} aliases of a mutation`,
        query: `mutation { ${times(count, (i) => `a${i}: revokeKey(input: { keyId: "${i}" }) { __typename }`)} }`,
        codes: ['graphql.too_costly', 'server.too_large'],
      },
    ]),
    ...[52, 100, 500].map((count) => ({
      name: `${count} times one root field`,
      query: `{ ${times(count, () => 'version')} }`,
      codes: ['graphql.too_costly'],
    })),
    ...[15, 16, 20, 24, 30].map((doublings) => ({
      name: `fragments that double ${doublings} times`,
      query: `{ run(id: "x") { ...d0 } } ${times(doublings, (i) => `fragment d${i} on Run { a${i}: id b${i}: id ...d${i + 1} ...d${i + 1} }`)} fragment d${doublings} on Run { id }`,
      codes: ['graphql.too_costly'],
    })),
    ...[4001, 20_000].map((count) => ({
      name: `${count} tokens`,
      query: `{ ${times(count, () => 'version')} }`,
      codes: ['server.too_large'],
    })),
    {
      name: 'directives without end',
      query: `{ version ${times(2000, () => '@include(if: true)')} }`,
      codes: ['server.too_large'],
    },
    {
      name: 'lists without end',
      query: `{ run(id: "x") { artifacts(prefix: ${'['.repeat(3000)}${']'.repeat(3000)}) { nodes { id } } } }`,
      codes: ['graphql.too_deep'],
    },
    {
      name: 'objects without end',
      query: `{ run(id: ${'{a:'.repeat(1300)}1${'}'.repeat(1300)}) { id } }`,
      codes: ['graphql.too_deep'],
    },
  ];
}

function costly(): HostileDocument[] {
  const codes = ['graphql.too_costly'];
  const fields = 'id name project note tags createdAt startedAt endedAt step steps';
  return [
    {
      name: 'pages in pages by literals',
      query: `{ runs(first: 500) { nodes { children { nodes { children { nodes { ${fields} } } } } } } }`,
      codes,
    },
    ...[500, 100_000, 2_000_000_000].map((first) => ({
      name: `a page size of ${first} by variables`,
      query: `query ($first: Int!) { runs(first: $first) { nodes { children { nodes { ${fields} children { nodes { ${fields} } } } } } } }`,
      variables: { first },
      codes,
    })),
    {
      name: 'a page size by the default of a variable',
      query: `query ($first: Int = 500) { runs(first: $first) { nodes { children { nodes { children { nodes { ${fields} } } } } } } }`,
      codes,
    },
    {
      name: 'a negative page size',
      query: `{ runs(first: -500) { nodes { children { nodes { children { nodes { ${fields} } } } } } } }`,
      codes,
    },
    {
      name: 'a costly operation among cheap ones',
      query: `query cheap { version } query dear { runs(first: 500) { nodes { children { nodes { children { nodes { ${fields} } } } } } } }`,
      variables: {},
      codes,
    },
    {
      name: 'costs spread over fragments',
      query: `{ runs(first: 500) { ...p } } fragment p on RunConnection { nodes { children { nodes { ...r } } } } fragment r on Run { children { nodes { ${fields} } } }`,
      codes,
    },
    {
      name: '20 histories of 400 series with 20,000 points, by variables',
      query: `query ($runs: [ID!]!, $names: [String!]!, $points: Int!) { ${times(20, (i) => `a${i}: metricHistory(runIds: $runs, names: $names, points: $points) { values }`)} }`,
      variables: { runs: strings(20), names: strings(20), points: 20_000 },
      codes,
    },
    {
      name: 'histories of which each alone would do',
      query: `query ($runs: [ID!]!) { ${times(5, (i) => `a${i}: metricHistory(runIds: $runs, names: ["x"], points: 20000) { name }`)} }`,
      variables: { runs: strings(20) },
      codes,
    },
    {
      name: 'whole trajectories without end',
      query: `{ ${times(20, (i) => `a${i}: trajectory(runId: "x", id: "${i}") { __typename }`)} }`,
      codes,
    },
    {
      name: 'texts of pages of trajectories, by a variable',
      query: `query ($characters: Int = 1000000) { trajectories(first: 500) { nodes { text(characters: $characters) } } }`,
      codes,
    },
    {
      name: 'pages of logs beside each other',
      query: `{ ${times(20, (i) => `a${i}: runLogs(runId: "x", first: 500) { nodes { text } }`)} }`,
      codes,
    },
    ...[10, 20].map((count) => ({
      name: `${count} large lists beside each other`,
      query: `{ ${times(count, (i) => `a${i}: runs(first: 500) { nodes { ${fields} } }`)} }`,
      codes,
    })),
  ];
}

function introspective(): HostileDocument[] {
  const codes = ['graphql.too_deep'];
  return [4, 5, 8].flatMap((depth) => [
    {
      name: `types in fields in types, ${depth} times`,
      query: `{ __schema { types { ${nest(depth, 'fields { type', 'name')}${'}'.repeat(depth)} } } }`,
      codes,
    },
    {
      name: `possible types of interfaces, ${depth} times`,
      query: `{ __schema { types { ${nest(depth, 'interfaces { possibleTypes', 'name')}${'}'.repeat(depth)} } } }`,
      codes,
    },
    {
      name: `ofType ${depth * 8} deep`,
      query: `{ __type(name: "Run") { ${nest(depth * 8, 'ofType', 'name')} } }`,
      codes,
    },
  ]);
}

function invalid(): HostileDocument[] {
  return [
    [
      'a fragment cycle',
      '{ run(id: "x") { ...a } } fragment a on Run { parent { ...b } } fragment b on Run { parent { ...a } }',
    ],
    ['a fragment of itself', '{ run(id: "x") { ...a } } fragment a on Run { ...a }'],
    ['unknown fields without end', `{ ${times(500, (i) => `x${i}`)} }`],
    ['a directive nobody knows', '{ version @unknown }'],
    ['several anonymous operations', '{ version } { version }'],
    ['conflicting fields', `{ run(id: "x") { ${times(100, () => 'a: id a: name')} } }`],
    ['a variable nobody declared', '{ runs(first: $first) { nodes { id } } }'],
    ['a missing required variable', 'query ($id: ID!) { run(id: $id) { id } }'],
    ['two roots of a subscription', 'subscription { a: __typename b: __typename }'],
  ].map(([name = '', query = '']) => ({
    name,
    query,
    codes: ['graphql.invalid'],
  }));
}

function malformed(): HostileDocument[] {
  return [
    '',
    '{',
    '}',
    '{ version',
    '{ "a" }',
    'query',
    '\u0000',
    '{ run(id: "',
    '{ version } garbage',
    '{'.repeat(3000),
    `{ ${'\\"'.repeat(250_000)}`,
    `{ run(id: "${'\\\\'.repeat(250_000)}`,
    `${'"""'.repeat(100_001)}`,
    `{ version(a: ${'['.repeat(3999)}`,
    `query ($v: ${'['.repeat(3999)}`,
  ].map((query) => ({
    name: `malformed ${JSON.stringify(query.slice(0, 20))} of ${query.length} characters`,
    query,
    codes: ['server.malformed', 'graphql.invalid', 'graphql.too_deep'],
  }));
}

/** The whole collection. */
export const hostileDocuments: readonly HostileDocument[] = [
  ...deep(),
  ...wide(),
  ...costly(),
  ...introspective(),
  ...invalid(),
  ...malformed(),
];
