import { expect, it } from 'vitest';
import { ask, call, codesOf, type Told } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

interface RunsPage {
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly name: string } }[];
  readonly nodes: readonly { readonly name: string }[];
  readonly totalCount: number;
  readonly pageInfo: Readonly<Record<string, string | boolean | null>>;
}

describeOnEach('a connection', (server) => {
  const graphql = (query: string, variables: Record<string, unknown> = {}): Promise<Told> =>
    ask(server().url, server().adminKey, query, variables);
  const create = async (more: object = {}): Promise<string> => {
    const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
    const { body } = await call(server().url, server().adminKey, 'POST', '/api/v1/runs', { source, ...more });
    return String(body['id']);
  };

  it('is read backward, by order and with its length, over GraphQL', async () => {
    const names = ['b', 'd', 'a', 'e', 'c'];
    for (const name of names) await create({ name, tags: ['sorted'] });
    const query = `query ($first: Int, $after: String, $last: Int, $before: String, $by: RunOrder) {
      runs(filter: { tag: "sorted" }, first: $first, after: $after, last: $last, before: $before, orderBy: $by) {
        edges { cursor node { name } } nodes { name } totalCount
        pageInfo { startCursor endCursor hasNextPage hasPreviousPage } } }`;
    const by = { field: 'NAME', direction: 'ASC' };
    const read = async (page: object) => {
      const { body } = await graphql(query, { by, ...page });
      expect(body.errors).toBeUndefined();
      return body.data?.['runs'] as RunsPage;
    };
    const first = await read({ first: 2 });
    expect(first.nodes.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(first).toMatchObject({ totalCount: 5, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
    expect(first.edges.map(({ node }) => node)).toEqual(first.nodes);
    expect(first.edges[1]?.cursor).toBe(first.pageInfo.endCursor);
    const second = await read({ first: 2, after: first.pageInfo.endCursor });
    expect(second.nodes.map(({ name }) => name)).toEqual(['c', 'd']);
    expect(second.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: true });
    const back = await read({ last: 2, before: second.pageInfo.startCursor });
    expect(back.nodes).toEqual(first.nodes);
    expect(back.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const end = await read({ last: 3 });
    expect(end.nodes.map(({ name }) => name)).toEqual(['c', 'd', 'e']);
    expect(end.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    const open = await read({ by: { field: 'ENDED_AT', direction: 'DESC' }, first: 2 });
    expect(open.nodes.map(({ name }) => name)).toEqual(['c', 'e']);
    const { body } = await call(
      server().url,
      server().adminKey,
      'GET',
      '/api/v1/runs?tag=sorted&orderBy=name&direction=desc&last=2',
    );
    expect((body['items'] as { name: string }[]).map(({ name }) => name)).toEqual(['b', 'a']);
    // the cursor of one order means nothing in another
    const mixed = await graphql(query, { first: 2, after: first.pageInfo.endCursor });
    expect(codesOf(mixed)).toEqual(['server.invalid_cursor']);
    expect(codesOf(await graphql(query, { first: 2, last: 2 }))).toEqual(['server.invalid_input']);
  });

  it('finds by ids', async () => {
    const one = await create();
    const two = await create();
    await create();
    const { body } = await graphql(
      `
        query ($ids: [ID!]) {
          runs(filter: { ids: $ids }) {
            nodes {
              id
            }
          }
        }
      `,
      {
        ids: [one, two, 'none'],
      },
    );
    expect(body.data?.['runs']).toEqual({ nodes: [{ id: two }, { id: one }] });
  });

  it('of log lines begins with the newest where `last` asks for them', async () => {
    const writer = await createWriter(server());
    await writer.write(
      ['one', 'two', 'three'].map((text) => ({ kind: 'log' as const, time: 1, text })),
      'log',
    );
    const read = async (args: string) => {
      const page = 'nodes { text } totalCount pageInfo { startCursor hasPreviousPage }';
      const { body } = await graphql(`{ runLogs(runId: "${writer.runId}", ${args}) { ${page} } }`);
      expect(body.errors).toBeUndefined();
      return body.data?.['runLogs'] as { pageInfo: { startCursor: string } };
    };
    const newest = await read('last: 2');
    expect(newest).toMatchObject({ nodes: [{ text: 'two' }, { text: 'three' }], totalCount: 3 });
    expect(await read(`last: 2, before: "${newest.pageInfo.startCursor}"`)).toMatchObject({
      nodes: [{ text: 'one' }],
      pageInfo: { hasPreviousPage: false },
    });
  });

  it('of trajectories, workers, keys, jobs, alerts and the audit log counts and turns round', async () => {
    const writer = await createWriter(server());
    const warning = (code: string) => ({ kind: 'warning' as const, time: 1, step: 1, code, message: 'odd' });
    await writer.write(
      [0, 1, 2, 3].flatMap((index) => [trajectoryEvent(1, index), warning(`rollout.${'abcd'[index]}`)]),
    );
    for (const field of [
      `trajectories(filter: { runIds: ["${writer.runId}"] }, last: 3)`,
      `trajectories(filter: { runIds: ["${writer.runId}"] }, last: 3, orderBy: { field: REWARD, direction: DESC })`,
      'workers(last: 3)',
      'keys(last: 3)',
      'jobs(last: 3, orderBy: { field: PRIORITY, direction: ASC })',
      'alerts(last: 3)',
      'auditLog(last: 3)',
    ]) {
      const { body } = await graphql(`{ list: ${field} { nodes { __typename } totalCount } }`);
      expect([field, body.errors]).toEqual([field, undefined]);
      const { nodes, totalCount } = body.data?.['list'] as { nodes: unknown[]; totalCount: number };
      expect([field, nodes.length]).toEqual([field, Math.min(3, totalCount)]);
      if (/^(trajectories|alerts)/.test(field)) expect([field, totalCount]).toEqual([field, 4]);
    }
  });

  it('costs what its page holds; its length costs a query', async () => {
    const list = (first: number, more: string) => `{ runs(first: ${first}) { ${more} } }`;
    for (const dear of [
      list(500, 'nodes { name } edges { node { children(first: 500) { nodes { name } } } }'),
      list(500, 'nodes { children(first: 1) { totalCount } }'),
      list(1, 'nodes { name } ').replace('first: 1', 'last: 500').replace('name', 'spec'),
    ])
      expect([dear, codesOf(await graphql(dear))]).toEqual([dear, ['graphql.too_costly']]);
    expect(codesOf(await graphql(list(500, 'totalCount nodes { name step }')))).toEqual([]);
  });
});
