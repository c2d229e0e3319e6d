import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { workerProtocol } from '@espalier/protocol';
import { Server } from 'socket.io';
import { waitFor } from '@espalier/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { workerOptions } from './worker-options.js';
import { type Connection, createConnection, maxReconnectDelayMs } from './connection.js';

const leaseMs = 900;
let http: HttpServer | undefined;
let sockets: Server | undefined;
let connection: Connection | undefined;

/** A server that welcomes everybody, or gives another answer. */
async function listen(port = 0, answer?: object): Promise<number> {
  http = createServer();
  sockets = new Server(http);
  sockets.of('/workers').on('connection', (socket) => {
    const value = {
      workerId: 'w',
      protocol: workerProtocol,
      leaseMs,
      heartbeatMs: 100,
      resumed: [],
      fenced: [],
    };
    socket.on('hello', (_: unknown, acknowledge: (answer: unknown) => void) =>
      acknowledge(answer ?? { ok: true, value }),
    );
  });
  await new Promise<void>((done) => http?.listen(port, '127.0.0.1', done));
  return (http.address() as AddressInfo).port;
}

async function leave(): Promise<void> {
  http?.closeAllConnections();
  await sockets?.close();
}

afterEach(async () => {
  connection?.close();
  await leave();
});

function connectTo(port: number, timing: object = {}): Connection {
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  const nothing = async () => ({ ok: true, value: null }) as const;
  return createConnection({
    options: workerOptions.parse({ server: `http://127.0.0.1:${port}`, key: 'k', name: 'w', timing }),
    log: silent,
    hello: () => ({}) as never,
    onWelcome: () => undefined,
    onLost: () => undefined,
    onAssign: nothing,
    onControl: () => ({ ok: true, value: null }),
    onCall: () => ({ ok: true, value: null }),
    onDrain: () => ({ ok: true, value: null }),
  });
}

describe('a server of another version', () => {
  it('ends the connection with both versions and the remedy, once', async () => {
    const message =
      'say hello: the worker speaks protocol 1, this server 2; install the same version of Espalier on both';
    const port = await listen(0, { ok: false, code: 'worker.protocol_mismatch', message });
    connection = connectTo(port);
    await expect(connection.ended).rejects.toMatchObject({
      code: 'worker.protocol_mismatch',
      message: `connect: ${message}`,
    });
  });
});

describe('reconnecting to a server', () => {
  it('happens before the lease expires, even if the settings allow longer delays', async () => {
    const port = await listen();
    connection = connectTo(port, { reconnectMinMs: 20_000, reconnectMaxMs: 60_000 });
    const isOnline = (): boolean => connection?.isOnline() === true;
    await waitFor('it is welcome', isOnline);
    await leave();
    await waitFor('it has noticed', () => !isOnline());
    await new Promise((done) => setTimeout(done, 700));
    await listen(port);
    const begin = performance.now();
    await waitFor('it is back', isOnline);
    expect(performance.now() - begin).toBeLessThan(leaseMs);
  });

  it('waits at most a third of the lease, and no longer than the settings allow', () => {
    const { timing } = workerOptions.parse({ key: 'k' });
    expect(1.5 * maxReconnectDelayMs(15_000, timing)).toBe(5000);
    expect(maxReconnectDelayMs(3_600_000, timing)).toBe(timing.reconnectMaxMs);
    // a worker that was never welcomed knows no lease: that of a server as installed
    expect(1.5 * timing.reconnectMaxMs).toBeLessThan(15_000);
  });
});
