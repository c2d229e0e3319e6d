import { join } from 'node:path';
import { type PostgresService, startPostgres } from '@espalier/testing';
import Sqlite from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseOptions } from '../../apps/server/src/config/storage-options.js';
import { openDatabase } from '../../apps/server/src/core/database/open/open-database.js';
import { call } from '../support/ask.js';
import { describeWith } from '../support/service.js';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.js';
import { startTestServer, type TestServer } from '../support/start-server.js';

const makeKey = ({ url, adminKey }: TestServer) =>
  call(url, adminKey, 'POST', '/api/v1/keys', { name: 'k', role: 'viewer' });
const unavailable = (sentence: RegExp) => ({
  status: 503,
  body: { code: 'server.database_unavailable', message: expect.stringMatching(sentence) },
});

describe('a PostgreSQL that takes connections and never answers', () => {
  it('is told at the start', async () => {
    const silent = await startSilentProxy();
    const url = `postgres://espalier@127.0.0.1:${silent.port}/postgres`;
    const options = databaseOptions.parse({ kind: 'postgres', url, connectSeconds: 0.3 });
    await expect(openDatabase(options)).rejects.toMatchObject({
      code: 'server.database_unusable',
      message: expect.stringMatching(/^open the database \(PostgreSQL\): .*timeout.*check the setting/),
    });
    await silent.close();
  });
});

describeWith(['postgres'], 'a PostgreSQL that falls silent', () => {
  let postgres: PostgresService;
  let proxy: SilentProxy;
  let server: TestServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    const at = new URL(postgres.url);
    proxy = await startSilentProxy(Number(at.port));
    at.port = String(proxy.port);
    const patience = { statementSeconds: 1, connectSeconds: 1 };
    server = await startTestServer({ database: { kind: 'postgres', url: at.href, ...patience } });
  });
  afterAll(async () => {
    proxy.speak();
    await server.close();
    await proxy.close();
    await postgres.stop();
  });

  it('is told to whoever reads or writes, and used again when it is back', async () => {
    proxy.fallSilent();
    expect(await makeKey(server)).toMatchObject(
      unavailable(/PostgreSQL does not answer; check that it is running/),
    );
    proxy.speak();
    await expect.poll(async () => (await makeKey(server)).status).toBe(201);
  });
});

describeWith(['postgres'], 'the end of a server whose PostgreSQL is silent', () => {
  it('comes by the deadline', { timeout: 60_000 }, async () => {
    const postgres = await startPostgres();
    const at = new URL(postgres.url);
    const proxy = await startSilentProxy(Number(at.port));
    at.port = String(proxy.port);
    const patience = { statementSeconds: 600, connectSeconds: 600 };
    const server = await startTestServer({
      database: { kind: 'postgres', url: at.href, ...patience },
      http: { shutdownSeconds: 0.5 },
    });
    proxy.fallSilent();
    void makeKey(server).catch(() => undefined);
    const begin = performance.now();
    await expect(server.close()).rejects.toMatchObject({
      code: 'server.stop_timeout',
      message: expect.stringMatching(/not finished within 10\.5 s/) as string,
    });
    expect(performance.now() - begin).toBeLessThan(20_000);
    proxy.speak();
    await proxy.close();
    await postgres.stop();
  });
});

describe('a SQLite file that another process holds', () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startTestServer({ database: { lockSeconds: 0.05 } })));
  afterAll(() => server.close());

  it('is told to whoever writes, and used again when it is free', async () => {
    const other = new Sqlite(join(server.options.data, 'database.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    expect(await makeKey(server)).toMatchObject(unavailable(/another process holds its file; close/));
    other.exec('ROLLBACK');
    other.close();
    expect((await makeKey(server)).status).toBe(201);
  });
});
