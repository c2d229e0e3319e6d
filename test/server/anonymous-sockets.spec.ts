/** @file Sockets that show no key: few, short-lived, and they may say little. */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { SocketAccess } from '../../apps/server/src/api/access/socket-access.js';
import { UnauthenticatedSockets } from '../../apps/server/src/api/access/unauthenticated-sockets.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const perAddress = 4;
const total = 6;
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    limits: { unauthenticatedSocketsPerAddress: perAddress, unauthenticatedSockets: total },
    http: { trustProxy: true },
  });
});
afterAll(() => server.close());

const paths = ['/socket.io/?EIO=4&transport=websocket', '/graphql'];

interface Opened {
  readonly socket: WebSocket;
  /** 101 when it opened */
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Opens a bare WebSocket as an address. */
function open(path: string, address: string, headers: Record<string, string> = {}): Promise<Opened> {
  const protocols = path === '/graphql' ? ['graphql-transport-ws'] : [];
  const socket = new WebSocket(server.url.replace('http', 'ws') + path, protocols, {
    headers: { 'x-forwarded-for': address, ...headers },
  });
  socket.on('error', () => undefined);
  return new Promise((done) => {
    socket.once('open', () => done({ socket, status: 101, retryAfter: undefined, body: '' }));
    socket.once('unexpected-response', (_request, answer) => {
      let body = '';
      answer.on('data', (part: Buffer) => (body += part.toString()));
      answer.on('end', () =>
        done({ socket, status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body }),
      );
    });
  });
}

const strangers = (): number => server.app.get(UnauthenticatedSockets, { strict: false }).count;
const none = (): Promise<void> => waitFor('nobody is left', () => strangers() === 0);

describe('sockets without a key', () => {
  it.each(paths)('are so many of one address, and so many in all: %s', async (path) => {
    const opened: Opened[] = [];
    for (let i = 0; i < perAddress; i += 1) opened.push(await open(path, '203.0.113.1'));
    expect(opened.map(({ status }) => status)).toEqual(Array.from({ length: perAddress }, () => 101));
    // whatever kind of socket comes next
    for (const next of paths) {
      const refused = await open(next, '203.0.113.1');
      expect([refused.status, refused.retryAfter]).toEqual([429, '5']);
      expect(JSON.parse(refused.body)).toMatchObject({ code: 'access.limit_exceeded', retryAfter: 5 });
    }
    for (const address of ['203.0.113.2', '203.0.113.3']) opened.push(await open(path, address));
    expect((await open(path, '203.0.113.4')).status).toBe(429);
    expect(strangers()).toBe(total);
    // a key in the header is nobody the count is about
    const known = await open(path, '203.0.113.1', { authorization: `Bearer ${server.adminKey}` });
    expect(known.status).toBe(101);
    for (const { socket } of [...opened, known]) socket.terminate();
    await none();
  });

  it.each(paths)('are cut off when they send more than a key needs: %s', async (path) => {
    const { socket } = await open(path, '203.0.113.1');
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    const begin = performance.now();
    socket.send('4'.repeat(200_000));
    await closed;
    expect(performance.now() - begin).toBeLessThan(3000);
    await none();
  });

  // the server waits some seconds for a key: all that wait for it do so together, as many as there may be in all
  it.concurrent.each(paths)('are closed when no key comes: %s', { timeout: 20_000 }, async (path) => {
    const { socket } = await open(path, '203.0.113.1');
    const closed = new Promise<void>((done) => socket.once('close', () => done()));
    // the answers that engine.io wants are given by a client that just stays
    socket.on('message', (data: Buffer) => data.toString() === '2' && socket.send('3'));
    await closed;
    await none();
  });

  it.concurrent.each(['/', '/stream', '/workers', '/nowhere'])(
    'join no namespace, and are closed: %s',
    async (namespace) => {
      const { socket, status } = await open(paths[0] as string, '203.0.113.2');
      expect(status).toBe(101);
      const said: string[] = [];
      socket.on('message', (data: Buffer) => said.push(data.toString()));
      const closed = new Promise<void>((done) => socket.once('close', () => done()));
      const key = namespace === '/' ? JSON.stringify({ key: server.adminKey }) : '';
      socket.send(`40${namespace === '/' ? '' : `${namespace},`}${key}`);
      await closed;
      expect(said.some((line) => line.startsWith('44'))).toBe(true);
      expect(said.some((line) => line.startsWith('40'))).toBe(false);
      await none();
    },
    20_000,
  );

  it('are counted no longer once they have shown a key, and may then send more', async () => {
    const sockets = Array.from({ length: perAddress + 2 }, () =>
      io(`${server.url}/stream`, {
        auth: { key: server.adminKey },
        transports: ['websocket'],
        forceNew: true,
        reconnectionDelay: 50,
      }),
    );
    await waitFor('all are in', () => sockets.every(({ connected }) => connected), 20_000);
    expect(strangers()).toBe(0);
    expect(server.app.get(SocketAccess).count()).toBe(sockets.length);
    const answer: unknown = await sockets[0]
      ?.timeout(5000)
      .emitWithAck('follow', { runId: 'x'.repeat(100_000) });
    expect(answer).toMatchObject({ ok: false });
    await sleep(6000); // longer than a stranger may stay
    expect(sockets.every(({ connected }) => connected)).toBe(true);
    for (const socket of sockets) socket.disconnect();
  }, 40_000);

  it('cannot poll, and what they post is not read', async () => {
    const { port } = new URL(server.url);
    const path = '/socket.io/?EIO=4&transport=polling';
    const statuses = await Promise.all(
      ['GET', 'POST'].map(
        (method) =>
          new Promise<number | undefined>((done, fail) => {
            const asked = request({ host: '127.0.0.1', port, path, method }, (answer) => {
              answer.resume();
              done(answer.statusCode);
            });
            asked.on('error', fail).end(method === 'POST' ? 'x'.repeat(1000) : undefined);
          }),
      ),
    );
    expect(statuses).toEqual([400, 400]);
    expect(strangers()).toBe(0);
  });
});
