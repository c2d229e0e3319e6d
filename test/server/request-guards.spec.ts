import { connect } from 'node:net';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { SocketAccess } from '../../apps/server/src/api/access/socket-access.js';
import { HealthService } from '../../apps/server/src/api/observability/health.service.js';
import { ask, call } from '../support/ask.js';
import { describeOnSqlite } from '../support/each-database.js';
import type { TestServer } from '../support/start-server.js';

let server: TestServer;

/** Sends the head of a request and what it says, and waits until the server closes the connection. */
function stall(head: readonly string[], key?: string): Promise<{ text: string; ms: number }> {
  const begin = performance.now();
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () =>
      socket.write(
        [
          head[0],
          'host: localhost',
          ...(key === undefined ? [] : [`authorization: Bearer ${key}`]),
          ...head.slice(1),
        ].join('\r\n'),
      ),
    );
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (part: string) => (text += part));
    socket.on('close', () => resolve({ text, ms: performance.now() - begin }));
    socket.on('error', reject);
    setTimeout(() => reject(new Error(`still open after 10 s: ${text}`)), 10_000).unref();
  });
}

const json = ['content-type: application/json', 'content-length: 1000', '', '{"query":'];
const bytes = ['content-type: application/octet-stream', 'content-length: 1000', '', 'some'];

async function refusals(code: string): Promise<number> {
  const { body } = await call(server.url, server.adminKey, 'GET', '/metrics');
  const found = new RegExp(`espalier_refusals_total\\{code="${code}"\\} (\\d+)`).exec(String(body['text']));
  return Number(found?.[1] ?? 0);
}

describeOnSqlite(
  'guards of requests',
  (current) => {
    beforeAll(() => {
      server = current();
    });

    describe('a request that does not arrive', () => {
      it('is given up after a time, with a key too, and counted', async () => {
        const before = await refusals('server.malformed');
        const { text, ms } = await stall(['POST /graphql HTTP/1.1', ...json], server.adminKey);
        expect(text).toMatch(/^HTTP\/1\.1 408 [^]*"code":"server\.malformed"/);
        expect(ms).toBeGreaterThan(350);
        expect(await refusals('server.malformed')).toBe(before + 1);
      });

      it('is refused without a key before its body is there, and its connection is closed', async () => {
        for (const address of ['/graphql', '/api/v1/keys', '/nowhere']) {
          const { text } = await stall([`POST ${address} HTTP/1.1`, ...json]);
          expect(text).toMatch(/^HTTP\/1\.1 401 [^]*access\.unauthenticated/);
        }
      });

      it('holds no connection when its head stalls, or it is an upload that stalls or was refused', async () => {
        const put = 'PUT /api/v1/runs/none/artifacts/a.bin HTTP/1.1';
        const [head, upload, anonymous] = await Promise.all([
          stall(['POST /graphql HTTP/1.1', 'content-type: appl']),
          stall([put, ...bytes], server.workerKey),
          stall([put, ...bytes]),
        ]);
        expect(head.text).toMatch(/^HTTP\/1\.1 408 /);
        expect(upload.text).toMatch(/^HTTP\/1\.1 4\d\d /);
        expect(anonymous.text).toMatch(/^HTTP\/1\.1 401 /);
      });

      it('is no upload that takes its time', async () => {
        const { port } = new URL(server.url);
        const [written, finished] = await new Promise<[number, string]>((resolve, reject) => {
          const socket = connect(Number(port), '127.0.0.1');
          socket.setEncoding('utf8').on('error', reject);
          socket.write(
            `POST /graphql HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${server.adminKey}\r\n` +
              'content-type: application/json\r\ncontent-length: 21\r\n\r\n',
          );
          setTimeout(() => socket.write('{"query":"{version}"}'), 150);
          socket.on('data', (text: string) => (resolve([21, text]), socket.destroy()));
        });
        expect([written, finished]).toEqual([21, expect.stringMatching(/^HTTP\/1\.1 200 /)]);
      });
    });

    describe('bytes that are no request', () => {
      it.each([
        ['a malformed request line', ['GET /with space\u0000 HTTP/9.9', '', ''], 400, 'server.malformed'],
        ['TLS', ['\u0016\u0003\u0001\u0002', '', ''], 400, 'server.malformed'],
        ['a malformed header', ['GET / HTTP/1.1', 'a b: c', '', ''], 400, 'server.malformed'],
        [
          'two lengths',
          ['POST / HTTP/1.1', 'content-length: 1', 'content-length: 2', '', ''],
          400,
          'server.malformed',
        ],
        [
          'headers without end',
          ['GET / HTTP/1.1', `a: ${'x'.repeat(20_000)}`, '', ''],
          431,
          'server.too_large',
        ],
        ['a head that never ends', ['GET / HTTP/1.1', 'a: '], 408, 'server.malformed'],
      ])('are answered with a code: %s', async (_, head, status, code) => {
        const before = await refusals(code);
        const { text } = await stall(head);
        const [top = '', body = ''] = text.split('\r\n\r\n');
        expect(top).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(top).toContain('content-type: application/json');
        const told = JSON.parse(body) as Record<string, string>;
        expect(Object.keys(told)).toEqual(['code', 'message', 'requestId']);
        expect(told['code']).toBe(code);
        expect(told['message']).toMatch(/^read the request: /);
        expect(await refusals(code)).toBe(before + 1);
      });
    });

    describe('refusals are counted', () => {
      it('that are members of the result of a mutation', async () => {
        const before = await refusals('server.invalid_input');
        const { body } = await ask(
          server.url,
          server.adminKey,
          'mutation { createKey(input: { name: " ", role: VIEWER }) { ... on Refusal { code } } }',
        );
        expect(body.data?.['createKey']).toEqual({ code: 'server.invalid_input' });
        expect(await refusals('server.invalid_input')).toBe(before + 1);
      });

      it('of the router, of sockets that are not given, and of sockets whose key is revoked', async () => {
        const malformed = await refusals('server.malformed');
        await call(server.url, server.adminKey, 'GET', '/api/v1/keys/%E0%A4%A');
        expect(await refusals('server.malformed')).toBe(malformed + 1);

        const unknown = await refusals('server.not_found');
        const address = server.url.replace('http', 'ws');
        const refused = new WebSocket(`${address}/nowhere`);
        await new Promise((resolve) => refused.once('error', resolve));
        expect(await refusals('server.not_found')).toBe(unknown + 1);

        const foreign = await refusals('access.foreign_origin');
        for (const path of ['/graphql', '/socket.io/?EIO=4&transport=websocket']) {
          const other = new WebSocket(`${address}${path}`, { origin: 'https://evil.example' });
          await new Promise((resolve) => other.once('error', resolve));
        }
        expect(await refusals('access.foreign_origin')).toBe(foreign + 2);

        const keys = server.app.get(KeyService);
        const { key } = await keys.create({ name: 'brief', role: 'viewer', projects: ['*'] });
        const caller = { keyId: key.id, keyName: key.name, role: key.role, projects: key.projects };
        const ended = await refusals('access.unauthenticated');
        const told: string[] = [];
        const socket = { isOpen: () => true, close: ({ code }: { code: string }) => void told.push(code) };
        server.app.get(SocketAccess).register(caller, socket);
        await keys.revoke(key.id);
        expect(told).toEqual(['access.unauthenticated']);
        expect(await refusals('access.unauthenticated')).toBe(ended + 1);
      });
    });

    describe('a key that is revoked while a socket is being opened', () => {
      it('opens none', async () => {
        const keys = server.app.get(KeyService);
        const { key, secret } = await keys.create({ name: 'racing', role: 'viewer', projects: ['*'] });
        const caller = await keys.authenticate(secret);
        await keys.revoke(key.id);
        const socket = { isOpen: () => true, close: () => undefined };
        expect(() => server.app.get(SocketAccess).register(caller, socket)).toThrow(/was revoked/);
      });

      it('is not remembered as valid by whoever read it just before', async () => {
        const keys = server.app.get(KeyService);
        const { key, secret } = await keys.create({ name: 'racing', role: 'viewer', projects: ['*'] });
        const reading = Promise.allSettled([keys.authenticate(secret)]);
        await Promise.all([reading, keys.revoke(key.id)]);
        await expect(keys.authenticate(secret)).rejects.toMatchObject({ code: 'access.unauthenticated' });
      });
    });

    describe('readiness', () => {
      it('is looked at once for all who ask within a second', async () => {
        const health = server.app.get(HealthService);
        const check = vi.fn(() => Promise.resolve());
        health.add('counted', check);
        await Promise.all(
          Array.from({ length: 8 }, () => call(server.url, undefined, 'GET', '/health/ready')),
        );
        expect(check).toHaveBeenCalledTimes(1);
        await vi.waitFor(
          async () => {
            await health.readiness();
            expect(check).toHaveBeenCalledTimes(2);
          },
          { timeout: 3000, interval: 100 },
        );
      });
    });
  },
  { http: { requestSeconds: 0.4, uploadIdleSeconds: 0.4 } },
);
