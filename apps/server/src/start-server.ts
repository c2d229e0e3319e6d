/** @file Starts the control plane in this process and stops it again, everything in flight finished. */
import 'reflect-metadata';
import { mkdirSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IoAdapter } from '@nestjs/platform-socket.io';
import { AppModule } from './app.module.js';
import type { ServerOptions } from './config/server-options.js';
import { openDatabase } from './database/open-database.js';

export interface RunningServer {
  /** such as http://127.0.0.1:4500 */
  readonly url: string;
  readonly app: NestFastifyApplication;
  /** Finishes what is in flight, then stops. */
  close(): Promise<void>;
}

/**
 * Starts the server.
 *
 * @throws server.database_unusable; errors of listening
 */
export async function startServer(given: ServerOptions): Promise<RunningServer> {
  const options = withAbsolutePaths(given);
  mkdirSync(options.data, { recursive: true });
  const source = await openDatabase(options.database);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.with(options, source),
    new FastifyAdapter(),
    { logger: ['error', 'warn'], abortOnError: false },
  );
  app.useWebSocketAdapter(new IoAdapter(app));
  await app.listen(options.port, options.host);
  return {
    url: await app.getUrl(),
    app,
    async close() {
      await app.close();
      await source.destroy();
    },
  };
}

function withAbsolutePaths(options: ServerOptions): ServerOptions {
  const data = resolve(options.data);
  const { file } = options.database;
  return {
    ...options,
    data,
    database: { ...options.database, file: isAbsolute(file) ? file : join(data, file) },
  };
}
