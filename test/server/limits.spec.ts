/** @file How much may be asked for with one key: refused with 429, `retry-after` and a stable code, by each way in. */
import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { DataSource } from 'typeorm';
import { Artifact } from '../../apps/server/src/core/database/entities/artifact.js';
import { Clock } from '../../apps/server/src/core/database/clock.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { ask, call, codesOf, type Told } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

let server: TestServer;
afterEach(() => server.close());

const throttled = { code: 'access.throttled', retryAfter: expect.any(Number) as number };

function expectRetry({ status, headers }: Told): void {
  expect(status).toBe(429);
  const seconds = Number(headers.get('retry-after'));
  expect(seconds).toBeGreaterThanOrEqual(1);
  expect(seconds).toBeLessThanOrEqual(60);
}

const asked = (key: string): Promise<Told> => call(server.url, key, 'GET', '/api/v1/runs');

describe('requests with one key', () => {
  it('are refused beyond the rate, over REST, GraphQL and sockets, and other keys go on', async () => {
    server = await startTestServer({ limits: { requestsPerMinute: 5 } });
    const key = await server.createKey({ name: 'busy', role: 'viewer' });
    const other = await server.createKey({ name: 'other', role: 'viewer' });
    // the first is not known yet when its head is read
    for (let i = 0; i < 6; i += 1) expect((await asked(key)).status).toBe(200);
    const rest = await asked(key);
    expectRetry(rest);
    expect(rest.body).toMatchObject(throttled);
    const graphql = await ask(server.url, key, '{ version }');
    expectRetry(graphql);
    expect(graphql.body.errors?.[0]?.extensions).toMatchObject(throttled);

    const client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { key },
    });
    const refusal = await new Promise((done) => {
      client.subscribe({ query: '{ version }' }, { next: done, error: done, complete: () => done('done') });
    });
    expect(refusal).toMatchObject([{ extensions: throttled }]);
    await client.dispose();

    const socket = io(`${server.url}/stream`, { auth: { key }, transports: ['websocket'] });
    expect(await socket.timeout(5000).emitWithAck('follow', { runId: 'x' })).toMatchObject({
      ok: false,
      ...throttled,
    });
    socket.disconnect();
    expect((await asked(other)).status).toBe(200);
    expect((await asked(server.adminKey)).status).toBe(200);
  });

  it('are refused when their bodies come to too much, before they are read', async () => {
    server = await startTestServer({ limits: { sentMbPerMinute: 1 } });
    const body = { query: '{ version }', variables: { filler: 'x'.repeat(600 * 1024) } };
    expect((await call(server.url, server.adminKey, 'POST', '/graphql', body)).status).toBe(200);
    const refused = await call(server.url, server.adminKey, 'POST', '/graphql', body);
    expectRetry(refused);
    expect(refused.body.errors?.[0]?.extensions).toMatchObject(throttled);
  });
});

describe('requests without a key', () => {
  it('are refused beyond the rate of their address; probes and keys in use go on', async () => {
    server = await startTestServer({ limits: { anonymousRequestsPerMinute: 4 } });
    expect((await asked(server.adminKey)).status).toBe(200);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) statuses.push((await call(server.url, undefined, 'GET', '/docs')).status);
    expect(statuses.slice(0, 3)).toEqual([200, 200, 200]);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    const refused = await call(server.url, undefined, 'GET', '/docs');
    expectRetry(refused);
    expect(refused.body).toMatchObject(throttled);
    for (let i = 0; i < 6; i += 1)
      expect((await call(server.url, undefined, 'GET', '/health/live')).status).toBe(200);
    expect((await asked(server.adminKey)).status).toBe(200);
  });
});

const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
const create = (key: string): Promise<Told> => call(server.url, key, 'POST', '/api/v1/runs', { source });
const createRun = `mutation { createRun(input: { source: ${JSON.stringify(source)} }) {
  ... on Run { id } ... on Refusal { code message } } }`;

describe('runs of one key', () => {
  it('are not queued beyond the limit, also when all come at once; others’ are', async () => {
    server = await startTestServer({ limits: { queuedJobsPerKey: 3 } });
    const key = await server.createKey({ name: 'busy', role: 'operator' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(key)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused) {
      expectRetry(answer);
      expect(answer.body).toMatchObject({ code: 'access.limit_exceeded', retryAfter: 60 });
    }
    const graphql = await ask(server.url, key, createRun);
    expect(graphql.body.errors?.[0]?.extensions).toMatchObject({
      code: 'access.limit_exceeded',
      retryAfter: 60,
    });
    expect(graphql.headers.get('retry-after')).toBe('60');
    expect((await create(server.adminKey)).status).toBe(201);
    const id = answers.find(({ status }) => status === 201)?.body['id'] as string;
    await call(server.url, key, 'POST', `/api/v1/runs/${id}/cancel`);
    expect((await create(key)).status).toBe(201);
  }, 60_000);

  it('are not created while those there are have stored too much', async () => {
    server = await startTestServer({ limits: { storedGbPerKey: 0.001 } });
    const key = await server.createKey({ name: 'full', role: 'operator' });
    const runId = String((await create(key)).body['id']);
    const artifacts = server.app.get(DataSource).getRepository(Artifact);
    await artifacts.insert({
      id: 'artifact-1',
      runId,
      attempt: 1,
      kind: 'checkpoint',
      path: 'a',
      key: 'k',
      step: 1,
      bytes: 2 ** 21,
      sha256: '0',
      createdAt: 1,
    } as never);
    // its limit is looked at again after half a minute: a clock that is ahead does not wait for it
    vi.spyOn(server.app.get(Clock), 'steady').mockImplementation(() => performance.now() + 60_000);
    const refused = await create(key);
    expectRetry(refused);
    expect(refused.body).toMatchObject({ code: 'access.limit_exceeded', retryAfter: 60 });
    await artifacts.delete({ runId });
    expect((await create(key)).status).toBe(201);
    expect(await server.app.get(DataSource).getRepository(Run).count()).toBe(2);
  }, 60_000);
});

describe('comparisons of runs', () => {
  it('cost as much as the values they read, over all aliases of an operation', async () => {
    server = await startTestServer({ graphql: { maxCost: 2600 } });
    const writer = await createWriter(server);
    const names = Array.from({ length: 200 }, (_, i) => `own/m${i}`);
    // 256 rows make a block: 153,600 values in three, which cost 1536; what is known before costs 1200
    for (let first = 0; first < 768; first += 64)
      await writer.write(
        Array.from({ length: 64 }, (_, i) =>
          metricsEvent(first + i, Object.fromEntries(names.map((name) => [name, i]))),
        ),
      );
    const compare = (aliases: number): Promise<Told> =>
      ask(
        server.url,
        server.adminKey,
        `query ($ids: [ID!]!, $names: [String!]!) { ${Array.from(
          { length: aliases },
          (_, i) => `a${i}: compareRuns(ids: $ids, metrics: $names) { runs { id } }`,
        ).join(' ')} }`,
        { ids: [writer.runId], names },
      );
    expect(codesOf(await compare(1))).toEqual([]);
    expect(codesOf(await compare(2))).toContain('graphql.too_costly');
    // of one operation, not of all there ever were
    expect(codesOf(await compare(1))).toEqual([]);
  }, 60_000);
});
