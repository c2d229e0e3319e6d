/** @file Subscribers over real sockets that stop reading: what they cost the server, and what they have missed. */
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import { createClient, type Client } from 'graphql-ws';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { GraphqlSocket } from '../../apps/server/src/api/graphql/server/graphql-socket.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

interface Batch {
  readonly after: number;
  readonly cursor: number;
  readonly steps?: number[];
  readonly records?: { readonly cursor: number }[];
}
type Told = Record<'runMetrics' | 'runEvents', Batch>;
type Socket = WebSocket & { _socket: { pause(): void; resume(): void } };

const fields = {
  runMetrics: 'runMetrics(runs: { runId: $runId }) { after cursor steps }',
  runEvents: 'runEvents(runId: $runId) { after cursor records { cursor body { ... on LogEvent { text } } } }',
};

describe('subscribers who do not read', () => {
  let server: TestServer;
  let impatient: TestServer;
  const clients: Client[] = [];
  beforeAll(async () => {
    server = await startTestServer({ stream: { flushMs: 20 } });
    impatient = await startTestServer({ stream: { pingSeconds: 0.4 } });
  });
  afterAll(async () => {
    for (const client of clients) await client.dispose();
    await server.close();
    await impatient.close();
  });

  const doorOf = ({ app }: TestServer): GraphqlSocket => app.get(GraphqlSocket, { strict: false });
  /** Bytes that wait for the network on each socket of the server. */
  const waiting = (of: TestServer): number[] => {
    const { sockets } = doorOf(of) as unknown as { sockets: { clients: Set<WebSocket> } };
    return [...sockets.clients].map(({ bufferedAmount }) => bufferedAmount);
  };

  /** Subscribes to all of a run on one socket; keeps what comes, and what does not follow on what came before. */
  async function subscribe(to: TestServer, runId: string) {
    let wire: Socket | undefined;
    const client = createClient({
      url: `${to.url.replace('http', 'ws')}/graphql`,
      retryAttempts: 0,
      connectionParams: { key: to.adminKey },
      webSocketImpl: WebSocket,
      on: { connected: (socket) => (wire = socket as Socket) },
    });
    clients.push(client);
    const seen = { steps: [] as number[], cursors: [] as number[], errors: [] as unknown[] };
    for (const name of ['runMetrics', 'runEvents'] as const) {
      let last = 0;
      const query = `subscription ($runId: ID!) { ${fields[name]} }`;
      const next = ({ data }: { data?: Told | null }) => {
        const batch = data?.[name];
        if (batch === undefined || batch.after < last) seen.errors.push(batch);
        last = batch?.cursor ?? last;
        seen.steps.push(...(batch?.steps ?? []));
        seen.cursors.push(...(batch?.records ?? []).map(({ cursor }) => cursor));
      };
      const sink = { next, error: (error: unknown) => seen.errors.push(error), complete: () => undefined };
      client.subscribe<Told>({ query, variables: { runId } }, sink);
    }
    await waitFor('both subscriptions run', () => wire !== undefined && doorOf(to).running % 2 === 0);
    return { seen, wire: (wire as unknown as Socket)._socket };
  }

  const parts = 6;
  const lines = 100;
  /** A row of metrics and two megabytes of text, several times. */
  async function writeMuch(
    write: Awaited<ReturnType<typeof createWriter>>['write'],
    each: () => void,
  ): Promise<void> {
    const text = 'x'.repeat(20_000);
    const log = Array.from({ length: lines }, () => ({ kind: 'log' as const, time: 1, text }));
    for (let part = 0; part < parts; part += 1) {
      await write([metricsEvent(part, { a: part }), ...log]);
      await setTimeout(10);
      each();
    }
  }

  it('cost no more than a message each, hold nobody up, and read on later without a gap', async () => {
    const { runId, write } = await createWriter(server);
    const stalled = await subscribe(server, runId);
    const reader = await subscribe(server, runId);
    stalled.wire.pause();
    let most = 0;
    await writeMuch(write, () => (most = Math.max(most, ...waiting(server))));
    const all = parts * (lines + 1);
    const steps = Array.from({ length: parts }, (_, step) => step);
    const cursors = Array.from({ length: all }, (_, index) => index + 1).filter(
      (at) => at % (lines + 1) !== 1,
    );
    await waitFor('the reader has all', () => reader.seen.cursors.length >= cursors.length);
    expect(reader.seen).toEqual({ steps, cursors, errors: [] });
    most = Math.max(most, ...waiting(server));
    expect(most).toBeLessThan(1_500_000);
    expect(stalled.seen.cursors.length).toBeLessThan(cursors.length);
    stalled.wire.resume();
    await waitFor('the rest has come', () => stalled.seen.cursors.length >= cursors.length);
    expect(stalled.seen).toEqual({ steps, cursors, errors: [] });
  });

  it('are let go when they answer no ping, and their subscriptions end', async () => {
    const { runId, write } = await createWriter(impatient);
    const { seen, wire } = await subscribe(impatient, runId);
    wire.pause();
    await writeMuch(write, () => undefined);
    await waitFor('the socket is closed', () => doorOf(impatient).running === 0);
    expect(waiting(impatient)).toEqual([]);
    wire.resume();
    await waitFor('the subscriber hears of it', () => seen.errors.length > 0);
    expect(seen.errors).toMatchObject([{ code: 1006 }, { code: 1006 }]);
  });

  it('are read no further while answers wait for them', async () => {
    const socket = new WebSocket(
      `${server.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    ) as Socket;
    await once(socket, 'open');
    // without a key it may not even send that much
    socket.send(JSON.stringify({ type: 'connection_init', payload: { key: server.adminKey } }));
    const [first] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(first.toString())).toEqual({ type: 'connection_ack' });
    socket._socket.pause();
    const ping = JSON.stringify({ type: 'ping', payload: { echo: 'x'.repeat(100_000) } });
    let most = 0;
    for (let count = 0; count < 300; count += 1) {
      socket.send(ping);
      if (count % 20 === 0) await setTimeout(5);
      most = Math.max(most, ...waiting(server));
    }
    await setTimeout(200);
    most = Math.max(most, ...waiting(server));
    expect(most).toBeLessThan(3_000_000);
    let pongs = 0;
    socket.on('message', () => (pongs += 1));
    socket._socket.resume();
    await waitFor('all are answered', () => pongs === 300);
    socket.terminate();
  });
});
