import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type PostgresService, startPostgres } from '@espalier/testing';
import { type RedisService, startRedis } from '../../../../test/support/redis.js';
import { describeWith } from '../../../../test/support/service.js';
import { type BullMqConnection, connectPostgres, connectRedis } from './bullmq-connection.js';
import { BullMqDispatchQueue } from './bullmq-dispatch-queue.js';

const ticket = (jobId: string) => ({ jobId, lane: 'gpu-2', priority: 0, enqueuedAt: 1000 });

/** Empties a lane, lets time pass, and offers again. */
async function useAndLeave(connection: BullMqConnection, count: () => Promise<number>): Promise<void> {
  let now = Date.now();
  const queue = new BullMqDispatchQueue(connection, () => now, 60_000);
  await queue.start();
  try {
    await queue.offer(ticket('a'));
    await queue.take('gpu-2', 'w', 3_600_000);
    now += 100_000;
    expect(await queue.lanes()).toEqual([]);
    expect(await count()).toBeGreaterThan(0);
    await queue.settle('a', 'w');
    await queue.lanes();
    now += 59_000;
    await queue.lanes();
    expect(await count()).toBeGreaterThan(0);
    now += 1000;
    await Promise.all([queue.lanes(), queue.offer(ticket('b'))]);
    expect(await queue.waiting('gpu-2', 9)).toMatchObject([{ jobId: 'b' }]);
    await queue.withdraw('b');
    await queue.lanes();
    now += 60_000;
    await queue.lanes();
    expect(await count()).toBe(0);
    expect(await queue.offer(ticket('c'))).toBe(true);
    expect(await queue.take('gpu-2', 'w', 1000)).toMatchObject({ jobId: 'c' });
  } finally {
    await queue.close();
  }
}

describeWith(['redis'], 'a lane that has been empty for long, on Redis', () => {
  let redis: RedisService;
  beforeAll(async () => {
    redis = await startRedis();
  }, 60_000);
  afterAll(async () => redis.stop());

  it('is removed with all its keys, and made anew for the next ticket', async () => {
    const client = new Redis(redis.url);
    try {
      await useAndLeave(connectRedis(redis.url), async () => (await client.keys('*lane-gpu-2*')).length);
    } finally {
      client.disconnect();
    }
  });
});

describeWith(['postgres'], 'a lane that has been empty for long, on PostgreSQL', () => {
  let postgres: PostgresService;
  beforeAll(async () => {
    postgres = await startPostgres();
  }, 60_000);
  afterAll(async () => postgres.stop());

  it('is removed with all its rows, and made anew for the next ticket', async () => {
    const { Client } = (await import('pg')).default;
    const client = new Client({ connectionString: postgres.url });
    await client.connect();
    try {
      await useAndLeave(connectPostgres(postgres.url, 'bullmq'), async () => {
        const { rows } = await client.query<{ count: string }>(
          `SELECT (SELECT COUNT(*) FROM bullmq.job WHERE queue = 'lane-gpu-2')
                + (SELECT COUNT(*) FROM bullmq.meta WHERE queue = 'lane-gpu-2') AS count`,
        );
        return Number(rows[0]?.count);
      });
    } finally {
      await client.end();
    }
  });
});
