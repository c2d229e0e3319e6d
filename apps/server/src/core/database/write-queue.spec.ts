import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseOptions } from '../../config/storage-options.js';
import { openDatabase } from './open/open-database.js';
import { Alert } from './entities/alert.js';
import { afterCommit, WriteQueue } from './write-queue.js';

describe('the write queue', () => {
  const folder = mkdtempSync(join(tmpdir(), 'espalier-line-'));
  let source: DataSource;
  let line: WriteQueue;
  const alert = (id: string): Alert => ({
    id,
    runId: 'r',
    project: 'p',
    severity: 'info',
    code: 'c',
    message: 'm',
    step: -1,
    time: 1,
    acknowledgedAt: null,
    acknowledgedBy: null,
    rules: null,
    assigneeId: null,
    assignee: null,
  });
  const insert = (id: string) => line.write((manager) => manager.insert(Alert, alert(id)));
  const ids = async (): Promise<string[]> =>
    (await line.read((manager) => manager.find(Alert, { order: { id: 'ASC' } }))).map(({ id }) => id);
  beforeAll(async () => {
    source = await openDatabase(databaseOptions.parse({ file: join(folder, 'database.sqlite') }));
    // however slow the machine is, what comes together stays together
    line = new WriteQueue(source, Infinity);
  });
  afterAll(async () => {
    await source.destroy();
    rmSync(folder, { recursive: true });
  });

  it('commits what comes together in one transaction, in order', async () => {
    const runner = source.createQueryRunner();
    const commit = runner.commitTransaction.bind(runner);
    let commits = 0;
    runner.commitTransaction = async () => {
      if (await runner.query('SELECT 1').then(() => true)) commits += 1;
      return commit();
    };
    const order: string[] = [];
    await Promise.all(['a1', 'a2', 'a3'].map((id) => insert(id).then(() => order.push(id))));
    runner.commitTransaction = commit;
    // Two of the inner commits release savepoints; all three writes are in the one outer transaction.
    expect(commits).toBe(4);
    expect(order).toEqual(['a1', 'a2', 'a3']);
    expect(await ids()).toEqual(['a1', 'a2', 'a3']);
  });

  it('fails every write of a transaction that cannot begin', async () => {
    const away = await openDatabase(databaseOptions.parse({ file: join(folder, 'away.sqlite') }));
    const lost = new WriteQueue(away);
    await away.destroy();
    const told: number[] = [];
    const write = (index: number) =>
      lost.write(
        async () => undefined,
        () => told.push(index),
      );
    const results = await Promise.allSettled([write(0), write(1), write(2)]);
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(told).toEqual([0, 1, 2]);
  });

  it('rolls back only the write that fails, tells it, and calls back for the others only', async () => {
    const told: string[] = [];
    const write = (id: string, fails: boolean) =>
      line.write(
        async (manager) => {
          await manager.insert(Alert, alert(id));
          afterCommit(manager, () => told.push(`committed ${id}`));
          if (fails) throw new Error(`no ${id}`);
        },
        () => told.push(`failed ${id}`),
      );
    const results = await Promise.allSettled([write('b1', false), write('b2', true), write('b3', false)]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(told).toEqual(['failed b2', 'committed b1', 'committed b3']);
    expect((await ids()).filter((id) => id.startsWith('b'))).toEqual(['b1', 'b3']);
  });

  it('goes on, and tells, when what is called after a commit or a failure throws', async () => {
    const thrown: string[] = [];
    const guarded = new WriteQueue(source, Infinity, (error) => {
      thrown.push((error as Error).message);
      throw new Error('the log is full');
    });
    const listener = (text: string) => (): void => {
      throw new Error(text);
    };
    let isTold = false;
    const write = (id: string, fails: boolean) =>
      guarded.write(
        async (manager) => {
          await manager.insert(Alert, alert(id));
          afterCommit(manager, listener(`after ${id}`));
          afterCommit(manager, () => (isTold = true));
          if (fails) throw new Error(`no ${id}`);
        },
        listener(`failure of ${id}`),
      );
    const met = await Promise.allSettled([write('f1', false), write('f2', true), write('f3', false)]);
    expect(met.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect([thrown, isTold]).toEqual([['failure of f2', 'after f1', 'after f3'], true]);
    await write('f4', false);
    expect((await ids()).filter((id) => id.startsWith('f'))).toEqual(['f1', 'f3', 'f4']);
  });

  it.each([1, 3])('commits again after a full disk that met %i writes', async (together) => {
    const file = join(folder, `full-${together}.sqlite`);
    const small = await openDatabase(databaseOptions.parse({ file }));
    const full = new WriteQueue(small, Infinity);
    const write = (id: string, message = 'm', refused = false) =>
      full.write(async (manager) => {
        await manager.insert(Alert, { ...alert(id), message });
        if (refused) throw new Error(`no ${id}`);
      });
    const [{ page_count: pages }] = await small.query<[{ page_count: number }]>('PRAGMA page_count');
    await small.query(`PRAGMA max_page_count = ${pages + 1}`);
    const big = 'x'.repeat(100_000);
    const met = await Promise.allSettled(
      [...Array(together).keys()].map((index) => write(`big${index}`, index === 0 ? big : 'm')),
    );
    expect(met[0]).toMatchObject({ status: 'rejected', reason: { message: expect.stringMatching(/full/) } });
    await small.query('PRAGMA max_page_count = 1000000');
    // a refusal used to leave a transaction open that nothing ended
    await expect(write('refused', 'm', true)).rejects.toThrow('no refused');
    await write('kept');
    // what another connection sees is what a killed process leaves
    const { default: Database } = await import('libsql');
    const other = new Database(file);
    const kept = other.prepare('SELECT id FROM alert ORDER BY id').all() as { id: string }[];
    other.close();
    expect(met.map(({ status }) => status)).toEqual(Array(together).fill('rejected'));
    expect(kept.map(({ id }) => id)).toEqual(['kept']);
    await small.destroy();
  });

  it('rolls back a write that is alone, and goes on', async () => {
    const alone = line.write(async (manager) => {
      await manager.insert(Alert, alert('c1'));
      throw new Error('no');
    });
    await expect(alone).rejects.toThrow('no');
    await insert('c2');
    expect((await ids()).filter((id) => id.startsWith('c'))).toEqual(['c2']);
  });

  it('turns to others when a transaction takes long, and goes on in order', async () => {
    const hasty = new WriteQueue(source, 0);
    const order: string[] = [];
    let isAnswered = false;
    setImmediate(() => (isAnswered = true));
    const answered: boolean[] = [];
    const writes = ['e1', 'e2', 'e3'].map((id) =>
      hasty.write(async (manager) => {
        await manager.insert(Alert, alert(id));
        answered.push(isAnswered);
        order.push(id);
      }),
    );
    await Promise.all(writes);
    expect(order).toEqual(['e1', 'e2', 'e3']);
    expect(answered).toEqual([false, true, true]);
  });

  it('lets reads see committed writes only, and timers run between transactions', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    let committed = 0;
    const writes = Array.from({ length: 200 }, (_, index) =>
      insert(`d${String(index).padStart(3, '0')}`).then(() => (committed += 1)),
    );
    const seen = ids().then((all) => [all.filter((id) => id.startsWith('d')).length, committed]);
    await Promise.all(writes);
    clearInterval(timer);
    expect((await seen)[0]).toBe((await seen)[1]);
    expect(ticks).toBeGreaterThan(0);
    expect((await ids()).filter((id) => id.startsWith('d'))).toHaveLength(200);
  });
});
