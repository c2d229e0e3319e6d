/** @file How much may be asked for with one key: refused with 429, `retry-after` and a stable code, by each way in. */
import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { ask, call, type Told } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

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
