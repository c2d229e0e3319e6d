import { createClient } from '@espalier/client';
import { createClient as createSocket } from 'graphql-ws';
import { io } from 'socket.io-client';
import { afterEach, expect, it, vi } from 'vitest';
import WebSocket from 'ws';
import { Clock } from '../../apps/server/src/core/database/clock.js';
import { scrubText } from '../../apps/server/src/logging/pino-logger.js';
import { ask, call } from '../support/ask.js';
import { createJob } from '../support/create-job.js';
import { describeOnSqlite } from '../support/each-database.js';

afterEach(() => vi.restoreAllMocks());

describeOnSqlite('a ticket', (server) => {
  const clientOf = (key = server().adminKey) => createClient({ url: server().url, key });
  const createKey = (projects: string[], role: 'viewer' | 'operator' = 'viewer') =>
    server().createKey({ name: `for tickets of ${projects.join()}`, role, projects });

  /** Opens /stream; gives the code it is refused with, or `open`. */
  const openStream = (
    how: { auth?: object; query?: Record<string, string> },
    place = '/stream',
  ): Promise<string> =>
    new Promise((resolve) => {
      const socket = io(`${server().url}${place}`, {
        transports: ['websocket'],
        forceNew: true,
        reconnection: false,
        ...how,
      });
      const end = (found: string): void => {
        socket.disconnect();
        resolve(found);
      };
      socket.once('connect', () => end('open'));
      socket.once('connect_error', (error) =>
        end(String((error as { data?: { code?: string } }).data?.code)),
      );
    });

  /** Asks over a GraphQL WebSocket; gives the version, or the code it is closed with. */
  async function askSocket(connectionParams: Record<string, unknown>): Promise<unknown> {
    const url = `${server().url.replace('http', 'ws')}/graphql`;
    const socket = createSocket({ url, connectionParams, webSocketImpl: WebSocket, retryAttempts: 0 });
    try {
      for await (const { data } of socket.iterate<{ version: string }>({ query: '{ version }' }))
        return data?.version;
      return undefined;
    } catch (error) {
      return (error as { code?: number }).code;
    } finally {
      await socket.dispose();
    }
  }

  it('opens a socket of its kind, as its key would, in the query string or the handshake', async () => {
    const client = clientOf(await createKey(['own']));
    const stream = await client.createTicket('stream');
    expect(stream.ticket).toMatch(/^espt_/);
    expect(stream.url).toBeNull();
    expect(Date.parse(stream.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    expect(await openStream({ query: { ticket: stream.ticket } })).toBe('open');
    expect(await openStream({ auth: { ticket: stream.ticket } })).toBe('open');
    const graphql = await client.createTicket('graphql');
    expect(await askSocket({ ticket: graphql.ticket })).toBe('0.1.0');
  });

  it('is of no use for another purpose, another namespace, another address or as a key', async () => {
    const client = clientOf();
    const stream = (await client.createTicket('stream')).ticket;
    const graphql = (await client.createTicket('graphql')).ticket;
    const refused = 'access.unauthenticated';
    expect(await openStream({ query: { ticket: graphql } })).toBe(refused);
    expect(await openStream({ query: { ticket: stream } }, '/workers')).toBe(refused);
    expect(await openStream({ auth: { key: stream } })).toBe(refused);
    expect(await askSocket({ ticket: stream })).toBe(4401);
    expect((await call(server().url, stream, 'GET', '/api/v1/runs')).status).toBe(401);
    expect((await call(server().url, undefined, 'GET', `/api/v1/runs?ticket=${stream}`)).status).not.toBe(
      200,
    );
    const { runId } = await createJob(server());
    const other = (await client.createTicket('download', `/api/v1/runs/${runId}/export/metrics.csv`)).ticket;
    const run = `/api/v1/runs/${runId}/export/run.json`;
    const long = `espt_${'x'.repeat(8000)}`;
    for (const ticket of [stream, other, `${other.slice(0, -2)}xx`, 'espt_x', long, ''])
      expect([
        ticket,
        (await call(server().url, undefined, 'GET', `${run}?ticket=${ticket}`)).body.code,
      ]).toEqual([ticket, refused]);
  });

  it('downloads its one file without a header, as far as its key may see it', async () => {
    const { runId } = await createJob(server(), { project: 'own' });
    const path = `/api/v1/runs/${runId}/export/run.json`;
    const { url } = await clientOf(await createKey(['own'])).createTicket('download', path);
    const told = await fetch(`${server().url}${url ?? ''}`);
    expect([told.status, ((await told.json()) as { id: string }).id]).toEqual([200, runId]);
    const foreign = clientOf(await createKey(['elsewhere'])).createTicket('download', path);
    await expect(foreign).rejects.toMatchObject({ details: { code: 'server.not_found' } });
  });

  it('ends after a minute, and with its key', async () => {
    const path = `/api/v1/runs/${(await createJob(server())).runId}/export/run.json`;
    const download = async (ticket: string): Promise<number> =>
      (await fetch(`${server().url}${path}?ticket=${ticket}`)).status;
    const client = clientOf();
    const { ticket } = await client.createTicket('download', path);
    expect(await download(ticket)).toBe(200);
    const clock = server().app.get(Clock, { strict: false });
    const now = clock.now();
    const late = vi.spyOn(clock, 'now').mockReturnValue(now + 61_000);
    expect(await download(ticket)).toBe(401);
    late.mockRestore();
    const secret = await server().createKey({ name: 'short-lived', role: 'viewer' });
    const own = await clientOf(secret).createTicket('download', path);
    const stream = await clientOf(secret).createTicket('stream');
    expect(await download(own.ticket)).toBe(200);
    await client.keys.revoke((await clientOf(secret).me()).keyId);
    expect(await download(own.ticket)).toBe(401);
    expect(await openStream({ query: { ticket: stream.ticket } })).toBe('access.unauthenticated');
  });

  it('is refused for a path that is not one of a download, and never written to the log', async () => {
    const mutation =
      'mutation ($input: CreateTicketInput!) { createTicket(input: $input) { ... on Ticket { url } ... on Refusal { code } } }';
    const wrong = [
      { purpose: 'DOWNLOAD' },
      { purpose: 'STREAM', path: '/api/v1/runs/run-1/export/run.json' },
      { purpose: 'DOWNLOAD', path: '/api/v1/keys' },
      { purpose: 'DOWNLOAD', path: '/api/v1/runs/run-1/export/run.json?until=1' },
      { purpose: 'DOWNLOAD', path: 'https://example.org/api/v1/runs/run-1/export/run.json' },
    ];
    for (const input of wrong) {
      const { body } = await ask(server().url, server().adminKey, mutation, { input });
      expect([input, body.data]).toEqual([input, { createTicket: { code: 'server.invalid_input' } }]);
    }
    const { ticket } = await clientOf().createTicket('stream');
    expect(scrubText(`GET /socket.io/?ticket=${ticket}&EIO=4`)).toBe(
      'GET /socket.io/?ticket=espt_[left out]&EIO=4',
    );
  });
});
