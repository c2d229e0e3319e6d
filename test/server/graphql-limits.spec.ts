import { readFileSync } from 'node:fs';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { getIntrospectionQuery, type GraphQLFieldResolver, type GraphQLSchema, isObjectType } from 'graphql';
import { createClient } from 'graphql-ws';
import { beforeAll, expect, it } from 'vitest';
import WebSocket from 'ws';
import { ask, call, codesOf } from '../support/ask.js';
import { describeOnSqlite } from '../support/each-database.js';
import type { TestServer } from '../support/start-server.js';
import { hostileDocuments } from './hostile-documents.js';

interface DeclaredCost {
  readonly name: string;
  readonly type: string;
  readonly isRoot: boolean;
  /** undefined: it depends on arguments */
  readonly cost: number | undefined;
}

/** The fields that say what they cost. */
function declaredCosts(schema: GraphQLSchema): DeclaredCost[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  return types.flatMap((parent) =>
    Object.values(parent.getFields()).flatMap(({ name, type, args, extensions }): DeclaredCost[] => {
      const given: unknown = extensions['complexity'];
      if (given === undefined) return [];
      const isFixed = typeof given === 'number' || args.length === 0 || (given as () => number).length === 0;
      const cost = typeof given === 'number' ? given : isFixed ? (given as () => number)() : undefined;
      return [{ name, type: String(type), isRoot: roots.includes(parent), cost }];
    }),
  );
}

type Refusals = readonly { readonly extensions?: { readonly code?: string } }[];

describeOnSqlite('limits of GraphQL', (current) => {
  let server: TestServer;
  let executed = 0;
  beforeAll(() => {
    server = current();
    const { schema } = server.app.get(GraphQLSchemaHost, { strict: false });
    for (const root of [schema.getQueryType(), schema.getMutationType()])
      for (const field of Object.values(root?.getFields() ?? {})) {
        const inner = field.resolve as GraphQLFieldResolver<unknown, unknown> | undefined;
        field.resolve = (...args) => {
          executed += 1;
          return inner?.(...args);
        };
      }
  });

  it('are tried by many documents', () => {
    expect(hostileDocuments.length).toBeGreaterThanOrEqual(60);
    expect(new Set(hostileDocuments.map(({ name }) => name)).size).toBe(hostileDocuments.length);
  });

  it('have the costs that are in the table of docs/use/api.md, and no others', () => {
    const [, table = ''] = readFileSync('docs/use/api.md', 'utf8').split(/^\| field .*\n\|[- |]+\n/m);
    const rows = (table.split('\n\n')[0] ?? '').split('\n').map((row) => {
      const [, fields = '', costs = ''] = row.split('|').map((cell) => cell.trim());
      const names = [...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name);
      return { fields, names, cost: /^\d+/.exec(costs)?.[0] };
    });
    const costOf = (fields: string) => rows.find((row) => row.fields === fields)?.cost;
    const declared = declaredCosts(server.app.get(GraphQLSchemaHost, { strict: false }).schema);
    const isListed = ({ name, type, isRoot, cost }: DeclaredCost): boolean =>
      rows.some((row) => row.names.includes(name) && (cost === undefined || row.cost === `${cost}`)) ||
      (!isRoot && costOf('a list within a row') === `${cost}`) ||
      (/^(String|JSON)!?$/.test(type) && costOf('`message`, `note`, other texts, JSON') === `${cost}`);
    const missing = declared.filter((one) => !isListed(one));
    expect(missing.map(({ name, cost }) => `${name} ${cost}`)).toEqual([]);
    const known = new Set(['__schema', ...declared.map(({ name }) => name)]);
    const first = rows.flatMap(({ fields, names }) => (fields.startsWith('`') ? names.slice(0, 1) : []));
    expect(first.filter((name) => !known.has(name ?? ''))).toEqual([]);
  });

  it('let ordinary operations and the introspection of explorers through', async () => {
    executed = 0;
    const ordinary = await ask(
      server.url,
      server.adminKey,
      '{ version runs(first: 50) { nodes { id name state latest children(first: 10) { nodes { id } } } pageInfo { endCursor } } }',
    );
    expect(ordinary.body.errors).toBeUndefined();
    expect(executed).toBe(2);
    for (const options of [
      {},
      { inputValueDeprecation: true, schemaDescription: true, specifiedByUrl: true },
    ]) {
      const described = await ask(server.url, server.adminKey, getIntrospectionQuery(options));
      expect(described.body.errors).toBeUndefined();
    }
  });

  it('refuse the schema over and over in one operation', async () => {
    const times = (count: number): string =>
      `{ ${Array.from({ length: count }, (_, i) => `a${i}: __schema { queryType { name } }`).join(' ')} }`;
    expect((await ask(server.url, server.adminKey, times(3))).body.errors).toBeUndefined();
    expect((await ask(server.url, server.adminKey, times(4))).body.errors?.[0]).toMatchObject({
      extensions: { code: 'graphql.too_costly' },
    });
  });

  it('hold however the address is written', async () => {
    executed = 0;
    for (const address of ['/%67raphql', '/graphq%6c', '/%67raphql?x=1']) {
      const read = await call(server.url, server.adminKey, 'GET', address);
      expect([read.status, JSON.stringify(read.body)]).toEqual([
        405,
        expect.stringContaining('server.not_allowed'),
      ]);
      const nested = await call(server.url, server.adminKey, 'POST', address, {
        query: `{ run(id: ${'{a:'.repeat(101)}1${'}'.repeat(101)}) { id } }`,
      });
      expect(nested.body.errors?.[0]).toMatchObject({
        message: expect.stringMatching(/^read the operation: brackets are nested/) as string,
        extensions: { code: 'graphql.too_deep' },
      });
    }
    expect(executed).toBe(0);
  });

  it('let a history through as large as a screen needs, and a thousand texts', async () => {
    const history = await ask(
      server.url,
      server.adminKey,
      'query ($n: [String!]!) { metricHistory(runIds: ["x"], names: $n) { values } }',
      { n: Array.from({ length: 200 }, (_, i) => `m${i}`) },
    );
    expect(codesOf(history)).toEqual(['server.not_found']);
    const texts = await ask(
      server.url,
      server.adminKey,
      '{ trajectories(filter: { runIds: ["x"] }, first: 500) { nodes { text } } }',
    );
    expect(codesOf(texts)).toEqual(['server.not_found']);
  });

  it('bound the history of metrics over REST too', async () => {
    const names = Array.from({ length: 60 }, (_, i) => `name=m${i}`).join('&');
    const told = await call(
      server.url,
      server.adminKey,
      'GET',
      `/api/v1/metrics?runId=x&${names}&points=20000`,
    );
    expect([told.status, told.body.code]).toEqual([400, 'server.invalid_input']);
    expect(told.body.message).toMatch(/more than 1000000 values/);
  });

  it.each(hostileDocuments.map((document) => [document.name, document] as const))(
    'refuse over HTTP, executing nothing: %s',
    async (name, { query, variables, codes }) => {
      executed = 0;
      const operationName = name === 'a costly operation among cheap ones' ? { operationName: 'dear' } : {};
      const begin = performance.now();
      const told = await call(server.url, server.adminKey, 'POST', '/graphql', {
        query,
        variables,
        ...operationName,
      });
      expect(performance.now() - begin).toBeLessThan(2000);
      expect(codesOf(told).length).toBeGreaterThan(0);
      for (const code of codesOf(told)) expect(codes).toContain(code);
      expect(told.body.data ?? null).toBeNull();
      expect(executed).toBe(0);
    },
  );

  it('refuse the same over a socket', async () => {
    executed = 0;
    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { key: server.adminKey },
    });
    for (const { name, query, variables, codes } of hostileDocuments) {
      if (name === 'a costly operation among cheap ones' || query === '') continue;
      const refusals = await new Promise<Refusals>((resolve) =>
        client.subscribe(
          { query, ...(variables === undefined ? {} : { variables }) },
          {
            next: (result) => resolve(result.errors ?? []),
            error: (errors) => resolve(errors as Refusals),
            complete: () => resolve([]),
          },
        ),
      );
      expect(refusals.length, name).toBeGreaterThan(0);
      for (const { extensions } of refusals) expect(codes, name).toContain(extensions?.code);
    }
    expect(executed).toBe(0);
    await client.dispose();
  });

  it('refuse lists of operations and operations without a key, descriptions included', async () => {
    executed = 0;
    const batch = await call(server.url, server.adminKey, 'POST', '/graphql', [{ query: '{ version }' }]);
    expect([batch.status, ...codesOf(batch)]).toEqual([400, 'server.malformed']);
    for (const query of ['{ version }', '{ __schema { types { name } } }', '{']) {
      const told = await ask(server.url, undefined, query);
      expect([told.status, ...codesOf(told)]).toEqual([401, 'access.unauthenticated']);
    }
    const worker = await ask(server.url, server.workerKey, '{ version }');
    expect(codesOf(worker)).toEqual(['access.denied']);
    expect(executed).toBe(1);
  });
});
