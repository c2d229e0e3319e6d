import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverOptions } from '@espalier/server';
import { waitFor } from '@espalier/testing';
import { type Client, createClient } from 'graphql-ws';
import { io, type Socket } from 'socket.io-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { GraphqlSocket } from '../../apps/server/src/api/graphql/server/graphql-socket.js';
import type { PluginCatalogue } from '../../apps/server/src/core/plugins/plugin-catalogue.service.js';
import { CommandLine } from '../../apps/server/src/core/runs/command-line.service.js';
import { RunEstimator } from '../../apps/server/src/core/runs/create/run-estimator.service.js';
import { ask, call, codesOf } from '../support/ask.js';
import { createJob } from '../support/create-job.js';
import { SimulatedWorker } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({
    limits: { socketsPerKey: 3, operationsPerKey: 3, workerMessagesPerMinute: 20 },
    stream: { maxFollowsPerSocket: 1 },
    graphql: { maxCost: 2500 },
    heartbeatSeconds: 7,
    leaseSeconds: 21,
  });
});
afterAll(() => server.close());

const newKey = (): Promise<string> => server.createKey({ name: 'capped', role: 'operator' });
const changes = 'subscription { runChanged { id } }';

/** A GraphQL socket, open or closed with a code and a reason. */
async function open(key: string): Promise<{ client: Client; closed: string | undefined }> {
  return new Promise((done) => {
    const client: Client = createClient({
      url: `${server.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { key },
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => undefined,
      on: {
        connected: () => done({ client, closed: undefined }),
        closed: (event) => {
          const { code, reason } = event as { code: number; reason: string };
          done({ client, closed: `${code} ${reason}` });
        },
      },
    });
  });
}

/** Starts an operation; its codes, and the seconds to wait, are those of the refusal. */
function start(
  client: Client,
  query: string,
): { codes: string[]; waits: unknown[]; isOver: boolean; end: () => void } {
  const told = {
    codes: [] as string[],
    waits: [] as unknown[],
    isOver: false,
    end: () => undefined as void,
  };
  const note = (errors: unknown): void => {
    // a socket that was closed ends it without a list
    if (!Array.isArray(errors)) return;
    for (const { extensions } of errors as { extensions: { code: string; retryAfter?: number } }[]) {
      told.codes.push(extensions.code);
      told.waits.push(extensions.retryAfter);
    }
  };
  told.end = client.subscribe(
    { query },
    {
      next: ({ errors }) => note(errors ?? []),
      error: (errors) => (note(errors), void (told.isOver = true)),
      complete: () => void (told.isOver = true),
    },
  );
  return told;
}

/** Starts an operation and waits for its end. */
async function codesAfter(client: Client, query: string): Promise<string[]> {
  const told = start(client, query);
  await waitFor('it is over', () => told.isOver);
  return told.codes;
}

const follow = (socket: Socket, runId: string) =>
  socket.timeout(5000).emitWithAck('follow', { runId }) as Promise<{ ok: boolean; code?: string }>;

async function stream(key: string): Promise<{ socket: Socket; code: string | undefined }> {
  const socket = io(`${server.url}/stream`, {
    auth: { key },
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
  });
  const code = await new Promise<string | undefined>((done) => {
    socket.once('connect', () => done(undefined));
    socket.once('connect_error', (error) => done((error as Error & { data: { code: string } }).data.code));
  });
  return { socket, code };
}

const running = (): number => server.app.get(GraphqlSocket).running;

describe('what is capped', () => {
  it('is the operations of a key on its sockets, told with the seconds to wait; what ends is given back', async () => {
    const { client } = await open(await newKey());
    const first = start(client, changes);
    start(client, changes);
    start(client, changes);
    await waitFor('three run', () => running() === 3);
    const refused = start(client, changes);
    await waitFor('it is refused', () => refused.isOver);
    expect([refused.codes, refused.waits]).toEqual([['access.limit_exceeded'], [5]]);
    expect(await codesAfter(client, '{ version }')).toEqual(['access.limit_exceeded']);
    first.end();
    await waitFor('one has ended', () => running() === 2);
    // what is refused or fails takes no place for long
    for (let i = 0; i < 3; i += 1) {
      expect(await codesAfter(client, '{ version }')).toEqual([]);
      expect(await codesAfter(client, 'subscription { runEvents(runId: "x") { cursor } }')).toEqual([
        'server.not_found',
      ]);
    }
    await client.dispose();
    await waitFor('all have ended', () => running() === 0);
  });

  it('counts all sockets of a key, and those of a socket that goes are given back', async () => {
    const key = await newKey();
    const one = (await open(key)).client;
    const two = (await open(key)).client;
    start(one, changes);
    start(one, changes);
    await waitFor('two run', () => running() === 2);
    start(two, changes);
    await waitFor('three run', () => running() === 3);
    const refused = start(two, changes);
    await waitFor('it is refused', () => refused.isOver);
    expect([refused.codes, refused.waits]).toEqual([['access.limit_exceeded'], [5]]);
    expect(await codesAfter(two, '{ version }')).toEqual(['access.limit_exceeded']);
    const other = (await open(await newKey())).client;
    start(other, changes);
    await waitFor('that of another key runs', () => running() === 4);
    one.terminate();
    await waitFor('two have ended', () => running() === 2);
    const again = start(two, changes);
    await waitFor('one more runs', () => running() === 3 || again.isOver);
    expect(again.codes).toEqual([]);
    await Promise.all([one, two, other].map((client) => client.dispose()));
    await waitFor('all have ended', () => running() === 0);
  });

  it('is the sockets of a key, of all kinds, and one that closes makes room', async () => {
    const key = await newKey();
    const sockets = [(await stream(key)).socket, (await stream(key)).socket];
    const { client } = await open(key);
    expect((await stream(key)).code).toBe('access.limit_exceeded');
    expect((await open(key)).closed).toMatch(/^4429 open a socket: the key "capped" has 3 open/);
    sockets[0]?.disconnect();
    await waitFor('there is room', async () => {
      const { socket, code } = await stream(key);
      sockets.push(socket);
      return code === undefined;
    });
    expect((await stream(key)).code).toBe('access.limit_exceeded');
    for (const socket of sockets) socket.disconnect();
    await client.dispose();
  });

  it('is the runs that a socket follows; one that is followed again counts once, one that is left not at all', async () => {
    const runs = [(await createJob(server)).runId, (await createJob(server)).runId] as const;
    const { socket } = await stream(await newKey());
    expect(await follow(socket, runs[0])).toMatchObject({ ok: true });
    expect(await follow(socket, runs[0])).toMatchObject({ ok: true });
    expect(await follow(socket, runs[1])).toMatchObject({ ok: false, code: 'access.limit_exceeded' });
    await socket.timeout(5000).emitWithAck('unfollow', { runId: runs[0] });
    expect(await follow(socket, runs[1])).toMatchObject({ ok: true });
    socket.disconnect();
  });

  it('is the messages of a worker in a minute; it is disconnected, and others are not held up', async () => {
    const [flood, other] = ['flood', 'other'].map(
      (name) => new SimulatedWorker(server.url, server.workerKey, { name, heartbeatMs: 0 }),
    ) as [SimulatedWorker, SimulatedWorker];
    await flood.connect();
    await other.connect();
    const beat = { devices: [], plugins: [], attempts: [] };
    const send = async (worker: SimulatedWorker): Promise<string> => {
      const answer = (await worker.socket.timeout(5000).emitWithAck('heartbeat', beat)) as { code?: string };
      return answer.code ?? 'ok';
    };
    const answers = await Promise.all(Array.from({ length: 22 }, () => send(flood)));
    expect(answers.slice(0, 20)).toEqual(Array<string>(20).fill('ok'));
    expect(answers.slice(20)).toEqual(Array<string>(2).fill('access.throttled'));
    await waitFor('it is disconnected', () => flood.socket.disconnected);
    expect(await send(other)).toBe('ok');
    // connecting anew does not reset what was counted
    await flood.connect();
    expect(await send(flood)).toBe('access.throttled');
    flood.close();
    other.close();
  });

  it('is the fields at the root of an operation', async () => {
    const two = await ask(server.url, server.adminKey, '{ a: version b: version }');
    expect(two.body.errors).toBeUndefined();
    const three = await ask(server.url, server.adminKey, '{ a: version b: version c: version }');
    expect(codesOf(three)).toEqual(['graphql.too_costly']);
  });
});

describe('what is refused by a code of its own', () => {
  it('is a request, and a socket, for a name that the server is not known by', async () => {
    const { port } = new URL(server.url);
    for (const [path, headers] of [
      ['/api/v1/runs', {}],
      ['/graphql', { upgrade: 'websocket', connection: 'upgrade' }],
    ] as const) {
      const body = await new Promise<string>((done, fail) => {
        const asked = request(
          { host: '127.0.0.1', port, path, headers: { host: 'evil.example', ...headers } },
          (answer) => {
            let text = '';
            answer.on('data', (piece: Buffer) => (text += piece.toString())).on('end', () => done(text));
          },
        );
        asked.on('error', fail).end();
      });
      expect(JSON.parse(body)).toMatchObject({ code: 'access.foreign_host' });
    }
  });

  it('is a priority out of range', async () => {
    const { runId } = await createJob(server);
    const key = await newKey();
    const query = `mutation { editRun(input: { runId: "${runId}", priority: 101 }) { ... on InvalidInput { code } } }`;
    const told = await ask(server.url, key, query);
    expect(told.body).toMatchObject({ data: { editRun: { code: 'server.invalid_input' } } });
    const patch = await call(server.url, key, 'PATCH', `/api/v1/runs/${runId}`, { priority: -101 });
    expect([patch.status, patch.body.code]).toEqual([400, 'server.invalid_input']);
    const { body } = await call(server.url, key, 'GET', `/api/v1/runs/${runId}`);
    expect(body['priority']).toBe(0);
  });

  it('is a path of an artifact that leads anywhere but down', async () => {
    const { runId } = await createJob(server);
    for (const path of ['..%2Fx', 'a%2F%2Fb', '.hidden', 'a%5Cb', 'a%0Ab', 'x.']) {
      const told = await call(server.url, server.adminKey, 'GET', `/api/v1/runs/${runId}/artifacts/${path}`);
      expect([path, told.status, told.body.code]).toEqual([path, 400, 'artifact.invalid_path']);
    }
    const address = `/api/v1/runs/${runId}/artifacts/a%00b`;
    const nul = await call(server.url, server.adminKey, 'GET', address);
    expect([nul.status, nul.body.code]).toEqual([400, 'server.invalid_input']);
  });
});

describe('a setting of time', () => {
  it('tells workers how often to report: heartbeatSeconds', async () => {
    const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'beats', heartbeatMs: 0 });
    expect(await worker.connect()).toMatchObject({ heartbeatMs: 7000 });
    worker.close();
  });

  it('ends an estimate that takes longer: planSeconds', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-estimate-'));
    const cli = join(folder, 'slow.mjs');
    writeFileSync(cli, 'setTimeout(() => undefined, 60_000);');
    const options = serverOptions.parse({ plugins: { cli, planSeconds: 1 } });
    const estimator = new RunEstimator(
      options,
      new CommandLine(options, { root: folder } as PluginCatalogue),
    );
    expect(await estimator.estimate({ steps: 1 })).toEqual({
      estimate: null,
      warnings: [],
      estimateReason: '`espalier plan` took more than 1 s',
    });
    rmSync(folder, { recursive: true });
  });

  it('bounds how long a request in flight holds up the end of the server: shutdownSeconds', async () => {
    const ending = await startTestServer({ http: { shutdownSeconds: 0.3 } });
    const socket = connect(Number(new URL(ending.url).port), '127.0.0.1');
    const isBegun = new Promise<void>((done) =>
      socket.on('data', (piece: Buffer) => {
        if (piece.toString().startsWith('HTTP/1.1 100 ')) done();
      }),
    );
    const isCut = new Promise<void>((done) => socket.on('error', () => undefined).on('close', () => done()));
    const head = [
      'POST /graphql HTTP/1.1',
      'host: localhost',
      `authorization: Bearer ${ending.adminKey}`,
      'content-type: application/json',
      'content-length: 1000',
      'expect: 100-continue',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n`);
    await isBegun;
    const began = performance.now();
    await Promise.all([ending.close(), isCut]);
    const seconds = (performance.now() - began) / 1000;
    expect(seconds).toBeGreaterThan(0.25);
    expect(seconds).toBeLessThan(6);
  });
});
