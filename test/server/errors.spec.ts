import { AppError } from '@espalier/contracts';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { listEndpoints } from '../../apps/server/src/api/access/list-endpoints.js';
import { createLog } from '../../apps/server/src/logging/pino-logger.js';
import { ask, call, codesOf } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const settings = { logLevel: 'debug', http: { bodyKb: 64 } };
const canary = 'canary-7f3a9c';
const nested = (depth: number, open: string, close: string): string =>
  `${open.repeat(depth)}1${close.repeat(depth)}`;

describeOnEach(
  'errors of the server',
  (current) => {
    let server: TestServer;
    const lines: string[] = [];
    beforeAll(() => {
      server = current();
      server.app.useLogger(createLog(server.options, { write: (line: string) => void lines.push(line) }));
    });

    it('have one shape over REST, with the request id of the client', async () => {
      const { status, body, headers } = await call(server.url, undefined, 'GET', '/nowhere', undefined, {
        'x-request-id': 'my-id.1',
      });
      expect(status).toBe(404);
      expect(Object.keys(body).sort()).toEqual(['code', 'message', 'requestId']);
      expect(body).toMatchObject({ code: 'server.not_found', requestId: 'my-id.1' });
      expect(headers.get('x-request-id')).toBe('my-id.1');
    });

    it('do not repeat a request id that is not fit for a log', async () => {
      const { body } = await call(server.url, undefined, 'GET', '/nowhere', undefined, {
        'x-request-id': 'a b"{}',
      });
      expect(body.requestId).toMatch(/^[0-9a-f-]{36}$/);
    });

    it.each([
      ['an unknown page', 'GET', '/api/v1/nothing', undefined, {}, 404, 'server.not_found'],
      ['no key', 'GET', '/api/v1/keys', undefined, {}, 401, 'access.unauthenticated'],
      ['broken JSON', 'POST', '/api/v1/keys', '{"a":', {}, 400, 'server.malformed'],
      ['a poisoned prototype', 'POST', '/api/v1/keys', '{"__proto__":{"a":1}}', {}, 400, 'server.malformed'],
      ['an empty body of JSON', 'POST', '/api/v1/keys', '', {}, 400, 'server.invalid_input'],
      [
        'a form',
        'POST',
        '/api/v1/keys',
        'a=1',
        { 'content-type': 'application/x-www-form-urlencoded' },
        415,
        'server.unsupported_media_type',
      ],
      [
        'plain text',
        'POST',
        '/api/v1/keys',
        '{}',
        { 'content-type': 'text/plain' },
        415,
        'server.unsupported_media_type',
      ],
      [
        'a body too large',
        'POST',
        '/api/v1/keys',
        JSON.stringify({ a: 'x'.repeat(70_000) }),
        {},
        413,
        'server.too_large',
      ],
      ['a malformed address', 'GET', '/api/v1/keys/%E0%A4%A', undefined, {}, 400, 'server.malformed'],
      ['a bad page size', 'GET', '/api/v1/audit?first=9999', undefined, {}, 400, 'server.invalid_input'],
      ['a bad cursor', 'GET', '/api/v1/audit?after=zzz', undefined, {}, 400, 'server.invalid_cursor'],
      ['deeply nested lists', 'POST', '/api/v1/runs', nested(20_000, '[', ']'), {}, 400, 'server.malformed'],
      ['deeply nested objects', 'POST', '/graphql', nested(9_000, '{"a":', '}'), {}, 400, undefined],
      ['an unknown key to revoke', 'DELETE', '/api/v1/keys/nothing', undefined, {}, 404, 'server.not_found'],
      ['a GET of GraphQL', 'GET', '/graphql?query={version}', undefined, {}, 405, undefined],
      ['a foreign host', 'GET', '/health/live', undefined, { host: 'evil.example' }, 403, undefined],
    ] as const)('over REST: %s', async (name, method, path, body, headers, status, code) => {
      const key = name === 'no key' ? undefined : server.adminKey;
      if (name === 'a foreign host') {
        const http = await import('node:http');
        const { port } = new URL(server.url);
        const got = await new Promise<number | undefined>((resolve) =>
          http.get({ port, path, headers: { ...headers }, host: '127.0.0.1' }, (answer) =>
            resolve(answer.statusCode),
          ),
        );
        expect(got).toBe(status);
        return;
      }
      const told = await call(server.url, key, method, path, body, headers);
      expect(told.status).toBe(status);
      if (code !== undefined) expect(told.body.code).toBe(code);
      expect(JSON.stringify(told.body)).not.toMatch(/node_modules|at \w+ \(|stack/);
    });

    it.each([
      ['{', 'server.malformed'],
      ['{ nothing }', 'graphql.invalid'],
      ['{ metricHistory(runIds: ["nothing"], names: ["a"]) { values } }', 'server.not_found'],
      ['{ keys(first: 0) { nodes { id } } }', 'server.invalid_input'],
      ['{ keys(after: "zzz") { nodes { id } } }', 'server.invalid_cursor'],
    ])('over GraphQL: %s', async (query, code) => {
      const told = await ask(server.url, server.adminKey, query);
      expect(codesOf(told)).toEqual([code]);
      const [error] = told.body.errors ?? [];
      expect(Object.keys(error?.extensions ?? {}).sort()).toEqual(['code', 'requestId']);
      expect(error?.extensions.requestId).toBe(told.headers.get('x-request-id'));
    });

    it('over GraphQL: a subscription in a request is told where subscriptions run', async () => {
      const told = await ask(server.url, server.adminKey, 'subscription { workerChanged { id } }');
      expect([told.status, ...codesOf(told)]).toEqual([400, 'graphql.invalid']);
      expect(told.body.errors?.[0]?.message).toMatch(/^subscribe: .*WebSocket at \/graphql/);
    });

    it('over GraphQL: variables nested too deep', async () => {
      const sent = `{"query":"{ version }","variables":{"a":${nested(20_000, '[', ']')}}}`;
      const told = await call(server.url, server.adminKey, 'POST', '/graphql', sent);
      expect([told.status, ...codesOf(told)]).toEqual([400, 'server.malformed']);
    });

    it('of our own say nothing of the inside, and the log says all', async () => {
      const keys = server.app.get(KeyService);
      for (const failure of [new Error(canary), new AppError('recorder.write_failed', canary)]) {
        lines.length = 0;
        const spy = vi.spyOn(keys, 'list').mockRejectedValue(failure);
        const rest = await call(server.url, server.adminKey, 'GET', '/api/v1/keys');
        const graphql = await ask(server.url, server.adminKey, '{ keys { nodes { id } } }');
        spy.mockRestore();
        expect([rest.status, rest.body.code]).toEqual([500, 'server.internal']);
        expect(codesOf(graphql)).toEqual(['server.internal']);
        expect(JSON.stringify([rest.body, graphql.body])).not.toContain(canary);
        const logged = lines.filter((line) => line.includes(canary));
        expect(logged.length, String(failure)).toBeGreaterThanOrEqual(2);
        expect(logged.some((line) => line.includes(String(rest.body.requestId)))).toBe(true);
      }
    });

    it('are counted by code', async () => {
      await call(server.url, server.adminKey, 'DELETE', '/api/v1/keys/nothing');
      const { body } = await call(server.url, server.adminKey, 'GET', '/metrics');
      expect(body['text']).toMatch(/espalier_refusals_total\{code="server.not_found"\} [1-9]/);
    });
  },
  settings,
);

describe('the ways into the server', () => {
  it('all say who may use them', async () => {
    const server = await startTestServer();
    const endpoints = listEndpoints(server.app);
    expect(endpoints.filter(({ role }) => role === undefined)).toEqual([]);
    expect(endpoints.filter(({ kind }) => kind === 'route').length).toBeGreaterThan(8);
    expect(endpoints.filter(({ kind }) => kind === 'field').length).toBeGreaterThan(8);
    expect(endpoints.filter(({ kind }) => kind === 'message').length).toBeGreaterThanOrEqual(3);
    const open = endpoints.filter(({ role }) => role === 'public').map(({ name }) => name.split('.')[0]);
    expect([...new Set(open)].sort()).toEqual([
      'DashboardController',
      'ExplorerController',
      'HealthController',
      'MetricsController',
    ]);
    await server.close();
  });
});
