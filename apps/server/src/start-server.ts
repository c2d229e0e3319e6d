/** @file Starts the control plane in this process and stops it again, everything in flight finished. */
import 'reflect-metadata';
import type { Server } from 'node:http';
import { resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '@espalier/contracts';
import { createFolderLock } from '@espalier/files';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type DataSource } from 'typeorm';
import { deleteUnreported, ensureFirstKeys, type FirstKeys } from './core/access/first-keys.js';
import { RequestAdmission } from './api/access/request-admission.js';
import { assertRoles } from './api/access/list-endpoints.js';
import { KeyService } from './core/access/key.service.js';
import { SocketAccess } from './api/access/socket-access.js';
import { AppModule } from './app.module.js';
import { locateData, type ServerOptions } from './config/server-options.js';
import { bindLock, lockDatabaseFile, lockOf } from './core/database/open/database-lock.js';
import { openDatabase } from './core/database/open/open-database.js';
import { RunLog } from './core/database/run-log.js';
import { ScalingService } from './core/scaling/scaling.service.js';
import { OpenApiDocument } from './api/rest/open-api/open-api-document.js';
import { GraphqlSocket } from './api/graphql/server/graphql-socket.js';
import { type AnsweredRequest, createAdapter } from './api/rest/create-adapter.js';
import { SocketAdapter } from './api/http/socket.adapter.js';
import { ErrorReport } from './api/errors/error-report.js';
import { HealthService } from './api/observability/health.service.js';
import { createLog } from './logging/pino-logger.js';
import { type StartHooks, type TakenLease, takeLease } from './standby.js';
import { ServerMetrics } from './api/observability/server-metrics.js';

export interface RunningServer {
  /** such as http://127.0.0.1:4500 */
  readonly url: string;
  readonly app: NestFastifyApplication;
  /**
   * secrets of keys created by this start, or by an earlier one that could not report them; they are stored nowhere
   * else
   */
  readonly firstKeys: FirstKeys | null;
  /** Records that the first keys were reported; until then every start reports them. */
  markKeysReported(): void;
  /** Calls back when the server may never write again, because another one has taken its database; close it then. */
  onLost(listener: (error: AppError) => void): void;
  /**
   * Finishes what is in flight, stores it, then stops.
   *
   * @throws server.stop_timeout when a service does not answer; end the process then
   */
  close(): Promise<void>;
}

/**
 * Starts the server. While another one holds the lease on its database, it stands by; it resolves once it serves.
 *
 * @throws server.already_running, server.database_newer, server.database_unusable, server.cannot_listen, access.weak_key
 */
export async function startServer(given: ServerOptions, hooks: StartHooks = {}): Promise<RunningServer> {
  const options = withAbsolutePaths(given);
  const locks = [createFolderLock(options.data, 'server', 'server.already_running')];
  const release = (): void => locks.forEach((lock) => lock.release());
  let source: DataSource | undefined;
  let taken: TakenLease | undefined;
  try {
    if (options.database.kind === 'sqlite') locks.push(lockDatabaseFile(options.database));
    else taken = await takeLease(options, hooks);
    source = await openDatabase(options.database, options.data, taken?.lease.epoch);
    if (taken !== undefined) bindLock(source, taken.lease);
    const server = await startWith(options, source, taken?.stopStandby);
    return { ...server, close: () => server.close().finally(release) };
  } catch (error) {
    await taken?.stopStandby();
    await taken?.lease.release();
    if (source?.isInitialized === true) await source.destroy();
    release();
    throw error;
  }
}

async function startWith(
  options: ServerOptions,
  source: DataSource,
  beforeListening?: () => Promise<void>,
): Promise<RunningServer> {
  const lines = new Logger('request');
  let metrics: ServerMetrics | undefined;
  const adapter = createAdapter(options, {
    answered(request) {
      metrics?.answered(request);
      writeLine(lines, request);
    },
    refused: (error) => void app.get(ErrorReport).serialize(error),
    admit: (head) => app.get(RequestAdmission).admit(head),
  });
  const app: NestFastifyApplication = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(options, source),
    adapter,
    {
      logger: createLog(options),
      abortOnError: false,
      bodyParser: false,
    },
  );
  try {
    metrics = app.get(ServerMetrics);
    app.useWebSocketAdapter(new SocketAdapter(app, options));
    if (options.http.origins.length > 0) app.enableCors({ origin: options.http.origins, maxAge: 600 });
    await app.init();
    assertRoles(app);
    app.get(OpenApiDocument).describe(app);
    app.get(GraphqlSocket).attach(app.getHttpServer());
    const firstKeys = await ensureFirstKeys(app.get(KeyService), source, options);
    await beforeListening?.();
    await listen(app, options);
    await app.get(ScalingService).start(Number(new URL(await app.getUrl()).port));
    let closing: Promise<void> | undefined;
    const close = () => (closing ??= stopInTime(app, source, options.http.shutdownSeconds));
    return {
      url: await app.getUrl(),
      app,
      firstKeys,
      close,
      markKeysReported: () => deleteUnreported(options.data),
      onLost: (listener) => lockOf(source)?.onLost(listener),
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}

const obstacles: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'another process listens there; stop it, or choose another port (--port, setting `port`), 0 for any',
  EACCES: 'this user may not; choose a port above 1023 (--port, setting `port`)',
  EADDRNOTAVAIL: 'this machine has no such address; choose another (--host, setting `host`)',
  ENOTFOUND: 'no address is known by this name; choose another (--host, setting `host`)',
};

/** Starts to listen. @throws server.cannot_listen */
async function listen(app: NestFastifyApplication, { port, host }: ServerOptions): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (cause) {
    const finding = obstacles[(cause as NodeJS.ErrnoException).code ?? ''] ?? (cause as Error).message;
    throw new AppError('server.cannot_listen', `listen on ${host}:${port}: ${finding}`, { cause });
  }
}

/** How long storing what is in flight may take, beyond the requests themselves. */
const flushSeconds = 10;
const sweepMs = 100;

/** Stops within a deadline. Everything acknowledged is stored by then; workers send everything else again. */
async function stopInTime(
  app: NestFastifyApplication,
  source: DataSource,
  graceSeconds: number,
): Promise<void> {
  const seconds = graceSeconds + flushSeconds;
  const isLate = wait(seconds * 1000, true, { ref: false });
  if ((await Promise.race([stop(app, source, graceSeconds), isLate])) !== true) return;
  throw new AppError(
    'server.stop_timeout',
    `stop: not finished within ${seconds} s, because the database or the artifact store does not answer; everything acknowledged is stored, and workers send everything else again`,
  );
}

/** Stops accepting requests, closes the sockets, waits for what is in flight, then closes the database. */
async function stop(app: NestFastifyApplication, source: DataSource, graceSeconds: number): Promise<void> {
  app.get(HealthService).stop();
  app.get(SocketAccess).closeEverything({
    code: 'server.shutting_down',
    message: 'keep the socket: the server is about to stop; connect again in a moment',
  });
  const server: Server = app.getHttpServer();
  const timer = setTimeout(() => server.closeAllConnections(), graceSeconds * 1000);
  server.closeIdleConnections();
  // a connection that was kept alive is idle once its last request is answered
  const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
  try {
    await app.get(GraphqlSocket).close();
    await app.close();
  } finally {
    clearInterval(sweep);
  }
  clearTimeout(timer);
  // queued writes need the database
  await app
    .get(RunLog)
    .settled()
    .catch((error: unknown) => new Logger('server').error(error));
  await lockOf(source)?.release();
  await source.destroy();
}

function writeLine(log: Logger, request: AnsweredRequest): void {
  const { requestId, method, path, status, seconds, caller } = request;
  const facts = { requestId, method, path, status, ms: Math.round(seconds * 1e4) / 10, caller };
  const isQuiet = path.startsWith('/health') || path === '/metrics';
  log[isQuiet ? 'debug' : 'log'](facts);
}

function withAbsolutePaths(given: ServerOptions): ServerOptions {
  const options = { ...given, data: resolve(given.data) };
  return { ...options, database: { ...options.database, file: locateData(options).database } };
}
