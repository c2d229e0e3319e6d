import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { DataSource, type DataSourceOptions } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { startPostgres } from '@espalier/testing';
import { describeWith } from '../../../../test/support/service.js';
import { DispatchTicket1764000000100 } from '../database/migrations/1764000000100-dispatch-ticket.js';
import { testDispatchQueue } from '../testing/dispatch-queue.suite.js';
import { DispatchTicket } from './dispatch-ticket.entity.js';
import { EmbeddedDispatchQueue } from './embedded-dispatch-queue.js';

async function connect(options: DataSourceOptions): Promise<DataSource> {
  const source = new DataSource({
    ...options,
    entities: [DispatchTicket],
    migrations: [DispatchTicket1764000000100],
    migrationsRun: true,
    synchronize: false,
  } as DataSourceOptions);
  return await source.initialize();
}

function connectSqlite(folder: string): Promise<DataSource> {
  const database = join(folder, 'server.sqlite');
  return connect({ type: 'better-sqlite3', driver: Database, database, enableWAL: true });
}

describe('the embedded dispatch queue on SQLite', () => {
  testDispatchQueue('process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-dispatch-'));
    const sources: DataSource[] = [];
    return {
      create: async () => {
        const source = await connectSqlite(folder);
        sources.push(source);
        return new EmbeddedDispatchQueue(source);
      },
      stop: async () => {
        for (const source of sources) await source.destroy();
        rmSync(folder, { recursive: true });
      },
    };
  });

  it('has exactly the table that its entity describes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-dispatch-'));
    const source = await connectSqlite(folder);
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    await source.destroy();
    rmSync(folder, { recursive: true });
  });

  it('takes from 10,000 waiting tickets by the index, in order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'espalier-dispatch-'));
    const source = await connectSqlite(folder);
    const queue = new EmbeddedDispatchQueue(source);
    await queue.start();
    const rows = Array.from({ length: 10_000 }, (_, index) => ({
      jobId: `j${index}`,
      lane: `gpu-${index % 4}`,
      rank: index % 7,
      enqueuedAt: index,
      holder: null,
      freeAt: 0,
    }));
    for (let start = 0; start < rows.length; start += 500)
      await source.getRepository(DispatchTicket).insert(rows.slice(start, start + 500));
    const taken: unknown[] = [];
    for (let index = 0; index < 20; index++) taken.push((await queue.take('gpu-1', 'w', 60_000))?.jobId);
    const first = rows.filter(({ lane, rank }) => lane === 'gpu-1' && rank === 0).slice(0, 20);
    expect(taken).toEqual(first.map(({ jobId }) => jobId));
    const [plan] = await source.query<{ detail: string }[]>(
      `EXPLAIN QUERY PLAN SELECT job_id FROM dispatch_ticket WHERE lane = 'gpu-1' AND free_at <= 5
       ORDER BY rank, enqueued_at, job_id LIMIT 1`,
    );
    expect(plan?.detail).toContain('dispatch_ticket_order');
    await source.destroy();
    rmSync(folder, { recursive: true });
  });
});

describeWith(['postgres'], 'the embedded dispatch queue on PostgreSQL', () => {
  testDispatchQueue('service', async () => {
    const service = await startPostgres();
    const sources: DataSource[] = [];
    return {
      create: async () => {
        const source = await connect({ type: 'postgres', url: service.url });
        sources.push(source);
        return new EmbeddedDispatchQueue(source);
      },
      service: { down: () => service.down('SIGQUIT'), up: service.up },
      stop: async () => {
        for (const source of sources) await source.destroy();
        await service.stop();
      },
    };
  });

  it('has exactly the table that its entity describes', async () => {
    const service = await startPostgres();
    const source = await connect({ type: 'postgres', url: service.url });
    const { upQueries } = await source.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    await source.destroy();
    await service.stop();
  });
});
