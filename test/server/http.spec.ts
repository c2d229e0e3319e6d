import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { io } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/start-server.js';

/** A request with headers that fetch would not send. */
function raw(
  url: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
  encoding: BufferEncoding = 'utf8',
) {
  const { port } = new URL(url);
  return new Promise<{ status: number; headers: Record<string, unknown>; body: string }>(
    (resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(parts).toString(encoding),
          }),
        );
      });
      sent.on('error', reject).end(body);
    },
  );
}

/** First line of the answer to an upgrade. */
function upgrade(url: string, path: string, headers: Record<string, string>): Promise<string> {
  const { port, host } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      const all = {
        host,
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        'sec-websocket-protocol': 'graphql-transport-ws',
        ...headers,
      };
      const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
    });
    socket.once('data', (part: Buffer) => {
      resolve(part.toString().split('\r\n')[0] ?? '');
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

describe('HTTP and sockets: hosts, proxies and limits', () => {
  let server: TestServer;
  let own: string;
  const json = { 'content-type': 'application/json' };
  const body = JSON.stringify({ query: '{ version }' });
  beforeAll(async () => {
    server = await startTestServer({
      http: { origins: ['https://dash.example'], hosts: ['control.example'] },
    });
    own = new URL(server.url).host;
  });
  afterAll(() => server.close());

  it.each([
    ['127.0.0.1:1', 200],
    ['localhost:4500', 200],
    ['my.localhost', 200],
    ['[::1]:4500', 200],
    ['10.1.2.3', 200],
    ['control.example:443', 200],
    ['CONTROL.example', 200],
    ['evil.example', 403],
    ['evil.example:4500', 403],
    ['localhost.evil.example', 403],
    ['control.example.evil.example', 403],
  ])('answers a request for the host %j with %i', async (host, status) => {
    expect((await raw(server.url, 'GET', '/health/live', { host })).status).toBe(status);
    const line = await upgrade(server.url, '/graphql', { host });
    expect(line).toContain(status === 200 ? '101' : '403');
  });

  it.each([
    [undefined, true],
    ['OWN', true],
    ['https://dash.example', true],
    ['https://dash.example.evil', false],
    ['http://evil.example', false],
    ['null', false],
  ])('lets a page of %j change something: %s', async (origin, isAllowed) => {
    const from = origin === 'OWN' ? `http://${own}` : origin;
    const headers = from === undefined ? {} : { origin: from };
    const posted = await raw(server.url, 'POST', '/graphql', { host: own, ...json, ...headers }, body);
    expect(posted.status).toBe(isAllowed ? 401 : 403);
    expect(await upgrade(server.url, '/graphql', headers)).toContain(isAllowed ? '101' : '403');
    const opened = await upgrade(server.url, '/socket.io/?EIO=4&transport=websocket', headers);
    expect(opened).toContain(isAllowed ? '101' : '403');
  });

  it('gives leave to read to pages of its list only', async () => {
    const asked = (origin: string) =>
      raw(server.url, 'OPTIONS', '/graphql', { host: own, origin, 'access-control-request-method': 'POST' });
    expect((await asked('https://dash.example')).headers['access-control-allow-origin']).toBe(
      'https://dash.example',
    );
    expect((await asked('https://evil.example')).headers['access-control-allow-origin']).toBeUndefined();
  });

  it('sends headers that keep browsers from guessing and framing', async () => {
    const { headers } = await raw(server.url, 'GET', '/graphiql', { host: own });
    expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' });
    expect(headers['content-security-policy']).toContain("script-src 'self';");
    expect(headers['access-control-allow-origin']).toBeUndefined();
  });

  it('has the dashboard at its own address, and says to programs where everything is', async () => {
    const browser = await raw(server.url, 'GET', '/', { host: own, accept: 'text/html,*/*;q=0.8' });
    expect([browser.status, browser.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const policy = browser.headers['content-security-policy'];
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).not.toContain('unsafe');
    const named = [...browser.body.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path]) => path ?? '');
    expect(named.length).toBeGreaterThanOrEqual(3);
    for (const path of named)
      for (const encoding of ['gzip', 'identity']) {
        const file = await raw(server.url, 'GET', path, { host: own, 'accept-encoding': encoding });
        expect([path, file.status, file.headers['cache-control'], file.headers['content-encoding']]).toEqual([
          path,
          200,
          'public, max-age=31536000, immutable',
          encoding === 'gzip' ? 'gzip' : undefined,
        ]);
      }
    for (const view of [
      '/runs',
      '/runs/run-1/trajectories/train/1/0/0?view=tokens',
      '/compare',
      '/play',
      '/workers',
      '/plugins',
    ])
      expect((await raw(server.url, 'GET', view, { host: own })).body).toBe(browser.body);
    const program = await raw(server.url, 'GET', '/', { host: own });
    expect(JSON.parse(program.body)).toMatchObject({ graphiql: '/graphiql', docs: '/docs' });
    for (const path of ['/nothing', '/api/v1/nothing', '/api/v1/runs/nothing/more'])
      expect([path, (await raw(server.url, 'GET', path, { host: own })).status]).toEqual([path, 404]);
    const ask = async (path: string) => {
      const { status, headers } = await raw(server.url, 'GET', path, { host: own, accept: 'text/html' });
      return [status, headers['content-type']];
    };
    expect(await ask('/nothing')).toEqual([404, 'text/html; charset=utf-8']);
    expect(await ask('/api/v1/nothing')).toEqual([404, 'application/json; charset=utf-8']);
  });

  it('compresses long answers in JSON for those who take gzip, and none to what changes something', async () => {
    const introspection = JSON.stringify({ query: '{ __schema { types { name description } } }' });
    const projects = Array.from({ length: 40 }, (_, at) => `project-${at}-${'p'.repeat(40)}`);
    const input = { name: 'n', role: 'VIEWER', projects };
    const creation = JSON.stringify({
      query:
        'mutation Make($input: CreateKeyInput!) { createKey(input: $input) { ... on CreatedKey { secret key { projects } } } }',
      variables: { input },
    });
    const headers = { ...json, host: own, authorization: `Bearer ${server.adminKey}` };
    const ask = async (path: string, encoding: string | undefined, given = '') => {
      const wanted = encoding === undefined ? {} : { 'accept-encoding': encoding };
      const method = given === '' ? 'GET' : 'POST';
      const answer = await raw(server.url, method, path, { ...headers, ...wanted }, given, 'latin1');
      const bytes = Buffer.from(answer.body, 'latin1');
      const isPacked = answer.headers['content-encoding'] === 'gzip';
      expect(answer.status).toBeLessThan(300);
      return {
        isPacked,
        sent: bytes.length,
        vary: String(answer.headers['vary']),
        text: (isPacked ? gunzipSync(bytes) : bytes).toString(),
      };
    };
    for (const [path, given] of [
      ['/graphql', introspection],
      ['/api/v1/run-spec-schema', ''],
    ] as const) {
      const plain = await ask(path, undefined, given);
      for (const encoding of given === '' ? ['gzip'] : ['gzip', 'br, GZIP;q=0.5', 'deflate,gzip ;q=1.0']) {
        const packed = await ask(path, encoding, given);
        expect([encoding, packed.isPacked, packed.text === plain.text]).toEqual([encoding, true, true]);
        expect(packed.sent).toBeLessThan(plain.sent / 3);
        expect(packed.vary).toContain('accept-encoding');
      }
      for (const encoding of given === '' ? [] : ['gzip;q=0', 'gzip; q=0.000, br', 'x-gzip'])
        expect([encoding, (await ask(path, encoding, given)).isPacked]).toEqual([encoding, false]);
      expect([plain.isPacked, plain.vary]).toEqual([false, expect.stringContaining('accept-encoding')]);
    }
    expect((await ask('/graphql', 'gzip', JSON.stringify({ query: '{ version }' }))).isPacked).toBe(false);
    const made = await ask('/graphql', 'gzip', creation);
    expect([made.isPacked, made.text.length > 1500, made.text.includes('"secret"')]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('has no socket at other addresses', async () => {
    expect(await upgrade(server.url, '/graphqlx', {})).toContain('404');
    expect(await upgrade(server.url, '/', {})).toContain('404');
  });

  it.each([
    '/graphiql/../package.json',
    '/graphiql/%2e%2e%2fpackage.json',
    '/docs/__proto__',
    '/assets/..%2findex.html',
    '/assets/.built',
    '/assets/index-00000000.js',
    '/docs/..%5c..%5cx',
    '/graphiql/graphql-ws/server.js',
    '/docs/index.html.map',
    '/graphiql/graphql-ws/..%2f..%2fpackage.json',
  ])('serves no file by the address %s', async (path) => {
    const { status, body: text } = await raw(server.url, 'GET', path, { host: own });
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ code: 'server.not_found' });
  });

  it('closes a socket.io connection that does not say who it is', async () => {
    const socket = io(`${server.url}/workers`, { transports: ['websocket'], reconnection: false });
    const error = await new Promise<Error>((resolve) => socket.once('connect_error', resolve));
    expect(error.message).toContain('no key was given');
    socket.disconnect();
  });
});
