import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@espalier/client';
import { serverOptions, startServer } from '@espalier/server';
import { freePort, type PostgresService, removeFolder, startPostgres } from '@espalier/testing';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { applicationName, PostgresLease } from '../../apps/server/src/core/database/open/postgres-lease.js';
import { describeWith } from '../support/service.js';
import { SimulatedWorker } from '../support/simulated-worker.js';

const request = { name: 'one more', role: 'viewer', projects: ['*'] } as const;

describeWith(['postgres'], 'servers on one PostgreSQL database', () => {
  let postgres: PostgresService;
  let root: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    root = mkdtempSync(join(tmpdir(), 'espalier-takeover-'));
  }, 60_000);
  afterAll(async () => {
    await postgres.stop();
    removeFolder(root);
  });

  const optionsFor = (name: string, port = 0, more = {}) =>
    serverOptions.parse({
      port,
      logLevel: 'silent',
      minFreeMb: 0,
      data: join(root, name),
      database: { kind: 'postgres', url: postgres.url, leaseSeconds: 2, ...more },
      access: { adminKey: 'a'.repeat(40), workerKey: 'w'.repeat(40) },
      artifacts: { store: { driver: 'directory', folder: join(root, 'artifacts') } },
    });
  const start = (name: string, port = 0, more = {}) => startServer(optionsFor(name, port, more));
  const open = () => new DataSource({ type: 'postgres', url: postgres.url }).initialize();
  const lease = () =>
    new PostgresLease(
      { url: postgres.url, connectSeconds: 5, leaseSeconds: 2 },
      { address: 'http://other', version: '0' },
    );

  it('stand by while one serves, say so, and take over when it closes; clients and workers follow', async () => {
    const ports = [await freePort(), await freePort()] as const;
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const first = await start('one', ports[0]);
    let standing: (() => void) | undefined;
    const stands = new Promise<void>((resolve) => (standing = resolve));
    const second = startServer(optionsFor('two', ports[1]), { onStandby: () => standing?.() });
    await stands;
    const get = async (path: string) => {
      const answer = await fetch(`${urls[1]}${path}`);
      return [answer.status, await answer.json()] as const;
    };
    expect(await get('/health/live')).toEqual([200, { status: 'ok' }]);
    expect(await get('/health/ready')).toEqual([503, { status: 'standby', checks: {} }]);
    const active = expect.stringContaining(`http://127.0.0.1:${ports[0]}`) as string;
    expect(await get('/api/v1/runs')).toMatchObject([503, { code: 'server.standby', message: active }]);
    const worker = new SimulatedWorker(urls[1] ?? '', 'w'.repeat(40), { name: 'w' });
    await expect(worker.connect()).rejects.toThrow();
    // the standby comes first in the list
    const client = createClient({ url: [...urls].reverse(), key: 'a'.repeat(40) });
    await client.keys.create({ name: 'kept', role: 'VIEWER', projects: ['*'] } as never);
    await first.close();
    const names = (await client.keys.list()).items.map(({ name }) => name);
    expect(names).toContain('kept');
    await client.keys.create({ name: 'later', role: 'VIEWER', projects: ['*'] } as never);
    const server = await second;
    expect(server.url).toBe(urls[1]);
    expect(await get('/health/ready')).toMatchObject([200, { status: 'ready' }]);
    await worker.connect();
    worker.close();
    await client.dispose();
    await server.close();
  }, 60_000);

  it('write nothing after another one has taken over', async () => {
    const server = await start('one');
    const lost = new Promise<Error>((resolve) => server.onLost(resolve));
    const other = await open();
    const before = await count(other);
    // what a server that was stopped for longer than its lease finds
    await other.query('UPDATE server_lease SET epoch = epoch + 1');
    await expect(server.app.get(KeyService).create(request)).rejects.toMatchObject({
      code: 'server.already_running',
    });
    expect((await lost).message).toMatch(/another server has taken over/);
    expect(await count(other)).toBe(before);
    await server.close();
    await other.query('UPDATE server_lease SET expires = 0');
    await other.destroy();
  }, 30_000);

  it('take over although a transaction of a stopped holder holds its epoch', async () => {
    const stopped = lease();
    await vi.waitFor(async () => expect(await stopped.tryTake()).toBeNull(), { timeout: 10_000 });
    const session = new Client({
      connectionString: postgres.url,
      application_name: applicationName(stopped.epoch),
    });
    session.on('error', () => undefined);
    await session.connect();
    await session.query('BEGIN');
    await session.query('SELECT 1 FROM server_lease FOR KEY SHARE');
    await session.query(`INSERT INTO api_key SELECT * FROM api_key WHERE false`);
    const next = lease();
    expect(await next.tryTake()).toMatchObject({ epoch: stopped.epoch, address: 'http://other' });
    // renews no more, as a process that is stopped
    vi.spyOn(stopped as unknown as { renew(): Promise<void> }, 'renew').mockResolvedValue();
    await vi.waitFor(async () => expect(await next.tryTake()).toBeNull(), { timeout: 15_000, interval: 200 });
    expect(next.epoch).toBe(stopped.epoch + 1);
    await expect(session.query('COMMIT')).rejects.toThrow();
    const manager = (await open()).manager;
    await expect(stopped.fence(manager)).rejects.toMatchObject({ code: 'server.already_running' });
    await expect(next.fence(manager)).resolves.toBeUndefined();
    expect([stopped.isHeld, next.isHeld]).toEqual([false, true]);
    await manager.connection.destroy();
    await stopped.release();
    await next.release();
  }, 40_000);

  it('keep the lease over a restart of PostgreSQL, and write again', async () => {
    const server = await start('one');
    await postgres.down('SIGQUIT');
    await postgres.up();
    const keys = server.app.get(KeyService);
    await vi.waitFor(() => keys.create(request), { timeout: 15_000, interval: 100 });
    await server.close();
  }, 40_000);

  it('refuse a database that a later version has migrated', async () => {
    const other = await open();
    await other.query(`INSERT INTO migration (timestamp, name) VALUES (1, 'Later1')`);
    await expect(start('one')).rejects.toMatchObject({
      code: 'server.database_newer',
      message: expect.stringContaining('(Later1); install that version') as string,
    });
    await other.query(`DELETE FROM migration WHERE name = 'Later1'`);
    await other.destroy();
    await (await start('one')).close();
  }, 30_000);
});

async function count(source: DataSource): Promise<number> {
  const [row] = (await source.query('SELECT count(*)::int AS keys FROM api_key')) as { keys: number }[];
  return row?.keys ?? -1;
}
