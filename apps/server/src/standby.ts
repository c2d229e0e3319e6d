/**
 * @file A server that stands by: another one holds the lease on its database. It answers every request with a refusal that clients and
 * workers understand, and takes over once the lease has expired.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { listVersions } from '@espalier/config/plain';
import { Logger } from '@nestjs/common';
import type { ServerOptions } from './config/server-options.js';
import { type LeaseHolder, PostgresLease } from './core/database/open/postgres-lease.js';

/** What a caller learns while a server starts. */
export interface StartHooks {
  /** called once if it stands by */
  readonly onStandby?: (holder: LeaseHolder) => void;
  /** ends standing by */
  readonly signal?: AbortSignal;
}

const pollMs = 250;

/** The lease, and what releases the port when the server itself listens. */
export interface TakenLease {
  readonly lease: PostgresLease;
  readonly stopStandby: () => Promise<void>;
}

/**
 * Takes the lease on the database, at once or after standing by.
 *
 * @throws server.cannot_listen
 */
export async function takeLease(
  options: ServerOptions,
  { onStandby, signal }: StartHooks,
): Promise<TakenLease> {
  const { host, port } = options;
  const version = listVersions()['espalier'] ?? 'unknown';
  // one that listens everywhere is reached by the name of its machine
  const name = ['0.0.0.0', '::'].includes(host) ? hostname() : host;
  const lease = new PostgresLease(options.database, { address: `http://${name}:${port}`, version });
  let holder = await lease.tryTake();
  if (holder === null) return { lease, stopStandby: () => Promise.resolve() };
  const logger = new Logger('standby');
  const listener = await listen(options, () => holder);
  logger.log(`stands by: ${describeHolder(holder)} serves`);
  onStandby?.(holder);
  try {
    while (holder !== null) {
      signal?.throwIfAborted();
      await sleep(pollMs);
      holder = await lease.tryTake().catch((error: unknown) => {
        logger.warn(`the lease cannot be read: ${String(error)}`);
        return holder;
      });
    }
    logger.log(`takes over with epoch ${lease.epoch}`);
  } catch (error) {
    await close(listener);
    await lease.release();
    throw error;
  }
  return { lease, stopStandby: () => close(listener) };
}

const describeHolder = ({ address, version }: LeaseHolder): string => `${address} (version ${version})`;

/** Listens where the server will, and refuses everything. */
async function listen({ host, port }: ServerOptions, holder: () => LeaseHolder | null): Promise<Server> {
  const refusal = (): object => {
    const active = holder();
    const who = active === null ? 'no server' : describeHolder(active);
    return {
      code: 'server.standby',
      message: `serve: this server stands by, and ${who} serves; try again, there or here in a moment`,
    };
  };
  const answer = (response: ServerResponse, status: number, body: object): void => {
    response.writeHead(status, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      ...(status === 503 && { 'retry-after': '1' }),
    });
    response.end(JSON.stringify(body));
  };
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?')[0];
    request.resume();
    if (path === '/health/live') answer(response, 200, { status: 'ok' });
    else if (path === '/health/ready') answer(response, 503, { status: 'standby', checks: {} });
    else answer(response, 503, refusal());
  });
  server.on('upgrade', (_request, socket) => {
    const body = JSON.stringify(refusal());
    socket.on('error', () => undefined);
    socket.end(
      `HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nretry-after: 1\r\nconnection: close\r\n\r\n${body}`,
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new AppError(
          'server.cannot_listen',
          `stand by on ${host}:${port}: ${cause.message}; choose another port`,
          {
            cause,
          },
        ),
      ),
    );
    server.listen(port, host, resolve);
  });
  return server;
}

function close(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
