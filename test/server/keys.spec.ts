import { setTimeout as sleep } from 'node:timers/promises';
import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { ask, call, codesOf } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const createKey = `mutation ($input: CreateKeyInput!) { createKey(input: $input) {
  ... on CreatedKey { secret key { id role projects prefix } }
  ... on Refusal { code message } } }`;

describe('keys', () => {
  let server: TestServer;
  let make: (
    input: Record<string, unknown>,
  ) => Promise<{ secret: string; key: { id: string; projects: string[] } }>;
  beforeAll(async () => {
    server = await startTestServer({ limits: { unknownKeysPerMinute: 10 } });
    make = async (input) => {
      const { body } = await ask(server.url, server.adminKey, createKey, {
        input: { ...input, role: String(input['role']).toUpperCase() },
      });
      return body.data?.['createKey'] as Awaited<ReturnType<typeof make>>;
    };
  });
  afterAll(() => server.close());

  it('are made with a secret that works at once and is shown nowhere else', async () => {
    const { secret, key } = await make({ name: 'a viewer', role: 'viewer', projects: ['p'] });
    expect((await ask(server.url, secret, '{ version }')).body.data).toEqual({ version: '0.1.0' });
    const listed = await call(server.url, server.adminKey, 'GET', '/api/v1/keys');
    const shown = (listed.body['items'] as { id: string }[]).find(({ id }) => id === key.id);
    expect(shown).toMatchObject({ name: 'a viewer', role: 'viewer', projects: ['p'], revokedAt: null });
    expect(Object.keys(shown ?? {})).not.toContain('hash');
    expect(JSON.stringify(listed.body)).not.toContain(secret);
  });

  it('of admins and workers see all projects whatever was asked for', async () => {
    expect((await make({ name: 'x', role: 'worker', projects: ['p'] })).key.projects).toEqual(['*']);
  });

  it('cannot be made without a name, as an expected refusal in GraphQL and 422 in REST', async () => {
    const { body } = await ask(server.url, server.adminKey, createKey, {
      input: { name: ' ', role: 'VIEWER' },
    });
    expect(body.data?.['createKey']).toMatchObject({ code: 'server.invalid_input' });
    const rest = await call(server.url, server.adminKey, 'POST', '/api/v1/keys', {
      name: '',
      role: 'viewer',
    });
    expect([rest.status, rest.body.code]).toEqual([400, 'server.invalid_input']);
  });

  it('are an admin’s matter', async () => {
    const operator = await server.createKey({ name: 'o', role: 'operator' });
    for (const key of [operator, server.workerKey]) {
      expect(codesOf(await ask(server.url, key, '{ keys { nodes { id } } }'))).toEqual(['access.denied']);
      expect((await call(server.url, key, 'GET', '/api/v1/keys')).status).toBe(403);
    }
    expect((await call(server.url, undefined, 'GET', '/api/v1/keys')).status).toBe(401);
  });

  it('are told to the minute when they were used', async () => {
    const { secret, key } = await make({ name: 'used', role: 'viewer' });
    const minute = (): string => new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
    const before = minute();
    await ask(server.url, secret, '{ version }');
    const told = async (): Promise<string | null | undefined> => {
      const { body } = await call(server.url, server.adminKey, 'GET', '/api/v1/keys');
      const items = body['items'] as { id: string; lastUsedAt: string | null }[];
      return items.find(({ id }) => id === key.id)?.lastUsedAt;
    };
    for (let tries = 0; tries < 100 && typeof (await told()) !== 'string'; tries += 1) await sleep(50);
    expect([before, minute()]).toContain(await told());
  });

  it('end at once when they are revoked, on open sockets too', async () => {
    const { secret, key } = await make({ name: 'gone', role: 'viewer' });
    const closed = new Promise<{ code: number }>((resolve) => {
      const client = createClient({
        url: `${server.url.replace('http', 'ws')}/graphql`,
        webSocketImpl: WebSocket,
        connectionParams: { key: secret },
        lazy: false,
        shouldRetry: () => false,
        onNonLazyError: () => undefined,
        on: {
          connected: () => void call(server.url, server.adminKey, 'DELETE', `/api/v1/keys/${key.id}`),
          closed: (event) => {
            resolve(event as { code: number });
            void client.dispose();
          },
        },
      });
    });
    const begin = Date.now();
    expect((await closed).code).toBe(4401);
    expect(Date.now() - begin).toBeLessThan(5000);
    expect((await ask(server.url, secret, '{ version }')).status).toBe(401);
  });

  it('close the sockets of workers when they are revoked', async () => {
    const { secret, key } = await make({ name: 'gone worker', role: 'worker' });
    const socket = io(`${server.url}/workers`, {
      auth: { key: secret },
      transports: ['websocket'],
      reconnection: false,
    });
    const refused = new Promise((resolve) => socket.once('refused', resolve));
    const ended = new Promise((resolve) => socket.once('disconnect', resolve));
    await new Promise<void>((resolve) => socket.once('connect', resolve));
    await call(server.url, server.adminKey, 'DELETE', `/api/v1/keys/${key.id}`);
    expect(await refused).toMatchObject({ ok: false, code: 'access.unauthenticated' });
    await ended;
  });

  it('are refused by a socket with the reason', async () => {
    const viewer = await server.createKey({ name: 'v', role: 'viewer' });
    const reasons = await Promise.all(
      [undefined, 'unknown', viewer].map(
        (key) =>
          new Promise((resolve) => {
            const socket = io(`${server.url}/workers`, {
              auth: { key },
              transports: ['websocket'],
              reconnection: false,
              forceNew: true,
            });
            socket.once('connect_error', (error) => {
              resolve((error as Error & { data?: { code: string } }).data?.code);
              socket.disconnect();
            });
          }),
      ),
    );
    expect(reasons).toEqual(['access.unauthenticated', 'access.unauthenticated', 'access.denied']);
  });

  it('are replaced by rotation', async () => {
    const { secret, key } = await make({ name: 'turn', role: 'operator', projects: ['p'] });
    const { status, body } = await call(server.url, server.adminKey, 'POST', `/api/v1/keys/${key.id}/rotate`);
    expect(status).toBe(201);
    expect(body['key']).toMatchObject({ name: 'turn', role: 'operator', projects: ['p'] });
    expect((await ask(server.url, secret, '{ version }')).status).toBe(401);
    expect((await ask(server.url, body['secret'] as string, '{ version }')).status).toBe(200);
  });

  it('keep the last admin', async () => {
    const { body } = await call(server.url, server.adminKey, 'GET', '/api/v1/keys?first=500');
    const admins = (body['items'] as { id: string; role: string; name: string }[]).filter(
      ({ role }) => role === 'admin',
    );
    const own = admins.find(({ name }) => name === 'admin');
    for (const { id, name } of admins)
      if (name !== 'admin') await call(server.url, server.adminKey, 'DELETE', `/api/v1/keys/${id}`);
    const refused = await call(server.url, server.adminKey, 'DELETE', `/api/v1/keys/${own?.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'access.last_admin']);
  });

  it('that are unknown are throttled by address, while known ones still work', async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 25; i += 1)
      statuses.push((await call(server.url, `guess-${i}`, 'GET', '/api/v1/keys')).status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect(statuses.at(-1)).toBe(429);
    expect((await call(server.url, server.adminKey, 'GET', '/api/v1/keys')).status).toBe(200);
  });

  it('are never read from an address', async () => {
    const { status } = await call(server.url, undefined, 'GET', `/api/v1/keys?key=${server.adminKey}`);
    expect(status).toBe(401);
  });
});

describe('first keys', () => {
  const adminKey = 'preset-admin-key-0123456789-0123456789';

  it('can be chosen by settings, and are used again at the next start', async () => {
    const server = await startTestServer({ access: { adminKey } });
    expect((await call(server.url, adminKey, 'GET', '/api/v1/keys')).status).toBe(200);
    const again = await server.restart();
    const { status, body } = await call(again.url, adminKey, 'GET', '/api/v1/keys');
    expect(status).toBe(200);
    expect((body['items'] as { name: string }[]).filter(({ name }) => name === 'preset admin')).toHaveLength(
      1,
    );
    await again.close();
  });

  it('that are too short stop the start', async () => {
    await expect(startTestServer({ access: { adminKey: 'short' } })).rejects.toMatchObject({
      code: 'access.weak_key',
    });
  });
});
