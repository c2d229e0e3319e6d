import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { freePort, startPostgres } from '@espalier/testing';
import { startRedis } from '../../../../test/support/redis.js';
import { describeWith } from '../../../../test/support/service.js';
import { testDispatchQueue } from '../testing/dispatch-queue.suite.js';
import { createDispatchQueue, dispatchOptions } from './create-dispatch-queue.js';

/** Not used by the drivers under test. */
const noDatabase = new DataSource({ type: 'postgres' });
const create = (options: object) => createDispatchQueue(dispatchOptions.parse(options), noDatabase);

describeWith(['redis'], 'the dispatch queue of BullMQ on Redis', () => {
  testDispatchQueue('service', async () => {
    const service = await startRedis();
    return {
      create: () => create({ driver: 'bullmq-redis', url: service.url }),
      service: { down: () => service.down('SIGKILL'), up: service.up },
      stop: service.stop,
    };
  });
});

describeWith(['postgres'], 'the dispatch queue of BullMQ on PostgreSQL', () => {
  testDispatchQueue('service', async () => {
    const service = await startPostgres();
    return {
      create: () => create({ driver: 'bullmq-postgres', url: service.url }),
      service: { down: () => service.down('SIGQUIT'), up: service.up },
      stop: service.stop,
    };
  });
});

describe('a dispatch queue whose service is not there', () => {
  it.each(['bullmq-redis', 'bullmq-postgres'])('refuses to start (%s)', async (driver) => {
    const scheme = driver === 'bullmq-redis' ? 'redis' : 'postgres';
    const queue = await create({ driver, url: `${scheme}://127.0.0.1:${await freePort()}/0` });
    await expect(queue.start()).rejects.toMatchObject({ code: 'dispatch.unavailable' });
    await queue.close();
  });
});

describe('settings of the dispatch queue', () => {
  it('know three drivers and nothing besides', () => {
    expect(dispatchOptions.parse({ driver: 'embedded' })).toEqual({ driver: 'embedded' });
    for (const bad of [{ driver: 'kafka' }, { driver: 'bullmq-redis' }, { driver: 'embedded', url: 'x' }])
      expect(dispatchOptions.safeParse(bad).success).toBe(false);
  });
});
