import { createClient } from 'graphql-ws';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { ask, codesOf } from '../support/ask.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const limit = 3;
const codes: Readonly<Record<number, string>> = {
  4401: 'access.unauthenticated',
  4429: 'access.throttled',
};

/** Comes in with a key, by each way in turn; answers the code of the refusal. */
const ways = {
  async 'a request'({ url }: TestServer, key: string, forwarded: string): Promise<string> {
    const told = await call(url, key, forwarded);
    return codesOf(told)[0] ?? 'in';
  },
  async 'a socket of socket.io'({ url }: TestServer, key: string, forwarded: string): Promise<string> {
    const socket = io(`${url}/stream`, {
      auth: { key },
      transports: ['websocket'],
      reconnection: false,
      forceNew: true,
      extraHeaders: { 'x-forwarded-for': forwarded },
    });
    const told = await new Promise<string>((done) => {
      socket.once('connect', () => done('in'));
      socket.once('connect_error', (error) => done((error as Error & { data: { code: string } }).data.code));
    });
    socket.disconnect();
    return told;
  },
  async 'a socket of GraphQL'({ url }: TestServer, key: string, forwarded: string): Promise<string> {
    class Forwarded extends WebSocket {
      constructor(address: string, protocols: string[]) {
        super(address, protocols, { headers: { 'x-forwarded-for': forwarded } });
      }
    }
    const told = await new Promise<string>((done) => {
      const client = createClient({
        url: `${url.replace('http', 'ws')}/graphql`,
        webSocketImpl: Forwarded,
        connectionParams: { key },
        lazy: false,
        retryAttempts: 0,
        onNonLazyError: () => undefined,
        on: {
          connected: () => (done('in'), void client.dispose()),
          closed: (event) => done(codes[(event as { code: number }).code] ?? JSON.stringify(event)),
        },
      });
    });
    return told;
  },
};
type Way = keyof typeof ways;
const names = Object.keys(ways) as Way[];

const call = (url: string, key: string, forwarded: string) =>
  ask(url, key, '{ version }', {}, { 'x-forwarded-for': forwarded });

describe('the address that strangers are throttled by', () => {
  let behind: TestServer;
  let direct: TestServer;
  beforeAll(async () => {
    // the throttle counts by the minute: none ends while this runs
    vi.useFakeTimers({ toFake: ['Date'], now: Math.floor(Date.now() / 60_000) * 60_000 + 1000 });
    const limits = { unknownKeysPerMinute: limit };
    behind = await startTestServer({ limits, http: { trustProxy: true } });
    direct = await startTestServer({ limits });
  });
  afterAll(async () => {
    vi.useRealTimers();
    await behind.close();
    await direct.close();
  });

  /** A key that the server has not met, which is what the throttle holds back. */
  const fresh = (server: TestServer): Promise<string> => server.createKey({ name: 'new', role: 'viewer' });

  it.each(names)('is what the proxy appended, whatever a stranger invents before it: %s', async (way) => {
    const stranger = `203.0.113.${names.indexOf(way) + 1}`;
    for (let i = 0; i < limit; i += 1)
      expect(await ways[way](behind, `wrong-${i}`, `198.51.100.${i}, ${stranger}`)).toBe(
        'access.unauthenticated',
      );
    // of one count, by whatever way the next comes
    for (const next of names)
      expect([next, await ways[next](behind, await fresh(behind), `192.0.2.1, ${stranger}`)]).toEqual([
        next,
        'access.throttled',
      ]);
    for (const next of names)
      expect([next, await ways[next](behind, await fresh(behind), '203.0.113.99')]).toEqual([next, 'in']);
  });

  it('is that of the connection where no proxy is trusted, whatever is said', async () => {
    for (const [i, way] of names.entries())
      expect(await ways[way](direct, `wrong-${i}`, `203.0.113.${i}`)).toBe('access.unauthenticated');
    for (const way of names)
      expect([way, await ways[way](direct, await fresh(direct), '203.0.113.50')]).toEqual([
        way,
        'access.throttled',
      ]);
  });
});
