import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type PostgresService, removeFolder, startPostgres } from '@espalier/testing';
import { DataSource } from 'typeorm';
import { KeyService } from '../../apps/server/src/core/access/key.service.js';
import { lockDatabase, lockOf } from '../../apps/server/src/core/database/open/database-lock.js';
import { serverOptions, startServer } from '@espalier/server';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../support/service.js';

const request = { name: 'one more', role: 'viewer', projects: ['*'] } as const;

describeWith(['postgres'], 'the claim to a PostgreSQL database', () => {
  let postgres: PostgresService;
  let folder: string;
  beforeAll(async () => {
    postgres = await startPostgres();
    folder = mkdtempSync(join(tmpdir(), 'espalier-claim-'));
  }, 60_000);
  afterAll(async () => {
    await postgres.stop();
    removeFolder(folder);
  });

  const start = () =>
    startServer(
      serverOptions.parse({
        port: 0,
        logLevel: 'silent',
        data: folder,
        database: { kind: 'postgres', url: postgres.url },
      }),
    );
  const open = () => new DataSource({ type: 'postgres', url: postgres.url }).initialize();

  it('is taken again after PostgreSQL was restarted, before anything is written', async () => {
    const server = await start();
    await postgres.down('SIGQUIT');
    await postgres.up();
    const keys = server.app.get(KeyService);
    await vi.waitFor(() => keys.create(request), { timeout: 10_000, interval: 50 });
    const other = await open();
    const [row] = (await other.query(
      `SELECT count(*)::int AS held FROM pg_locks WHERE locktype = 'advisory' AND granted`,
    )) as { held: number }[];
    expect(row?.held).toBe(1);
    await other.destroy();
    await server.close();
  }, 30_000);

  it('that another server has acquired meanwhile stops all writes, with an error', async () => {
    const server = await start();
    const lost = new Promise<Error>((resolve) => server.onLost(resolve));
    const other = await open();
    // the other one waits for the lock at the moment at which the session that holds it ends
    const waiting = other.createQueryRunner();
    const taken = waiting.query('SELECT pg_advisory_lock(4707118351)');
    await vi.waitFor(async () => {
      const [row] = (await other.query(
        `SELECT count(*)::int AS waits FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`,
      )) as { waits: number }[];
      expect(row?.waits).toBe(1);
    });
    await other.query(
      `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted`,
    );
    await taken;
    const before = await count(other);
    await expect(server.app.get(KeyService).create(request)).rejects.toMatchObject({
      code: 'server.already_running',
    });
    expect((await lost).message).toMatch(/another server uses it now/);
    expect(await count(other)).toBe(before);
    await server.close();
    await waiting.release();
    await other.destroy();
  }, 30_000);

  it('is refused to a second server until the first has closed', async () => {
    const first = await open();
    const second = await open();
    const options = serverOptions.parse({ database: { kind: 'postgres', url: postgres.url } }).database;
    await lockDatabase(first, options);
    await expect(lockDatabase(second, options)).rejects.toMatchObject({ code: 'server.already_running' });
    await lockOf(first)?.release();
    await lockDatabase(second, options);
    await lockOf(second)?.release();
    await Promise.all([first.destroy(), second.destroy()]);
  }, 30_000);
});

async function count(source: DataSource): Promise<number> {
  const [row] = (await source.query('SELECT count(*)::int AS keys FROM api_key')) as { keys: number }[];
  return row?.keys ?? -1;
}
