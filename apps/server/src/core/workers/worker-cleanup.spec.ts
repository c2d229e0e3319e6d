import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuSlots, SimulatedWorker } from '../../../../../test/support/simulated-worker.js';
import { startTestServer, type TestServer } from '../../../../../test/support/start-server.js';
import { FakeWorker } from '../../testing/fake-worker.js';
import { createJobParts } from '../../testing/job-parts.js';
import { WorkerCleanup } from './worker-cleanup.service.js';
import { Worker } from '../database/entities/worker.js';

const dayMs = 86_400_000;

describe('a worker that was away for long', () => {
  it('is forgotten, unless it is back, was here lately, or has an attempt under way', async () => {
    const parts = await createJobParts({ retrySeconds: 0 });
    const { pool, rows, clock, log, source } = parts;
    const cleanup = new WorkerCleanup(log, pool, clock, parts.options);
    const leave = async (worker: FakeWorker): Promise<void> => {
      await rows.disconnect(worker.workerId, worker, false);
      worker.isOnline = false;
    };
    const names = async (): Promise<string[]> =>
      (await source.getRepository(Worker).find()).map(({ name }) => name).sort();
    try {
      const [gone, busy, late, here] = ['gone', 'busy', 'late', 'here'].map(
        (name) => new FakeWorker(parts, name, cpuSlots(1), [name]),
      ) as [FakeWorker, FakeWorker, FakeWorker, FakeWorker];
      for (const worker of [gone, busy, here]) await worker.connect();
      await parts.createJob({ labels: ['busy'] });
      await parts.scheduler.idle();
      for (const worker of [gone, busy]) await leave(worker);
      clock.pass(dayMs);
      await late.connect();
      await leave(late);
      clock.pass(29 * dayMs);
      expect(await cleanup.sweep()).toEqual([]);
      clock.pass(1);
      expect(await cleanup.sweep()).toEqual(['gone']);
      expect(await names()).toEqual(['busy', 'here', 'late']);
      expect(pool.worker(gone.workerId)).toBeUndefined();
      for (const id of [...pool.allAllocations()].map(({ attemptId }) => attemptId))
        await parts.attempts.expire(id);
      parts.leases.expired();
      clock.pass(60_000);
      for (const id of parts.leases.expired()) await parts.attempts.expire(id);
      expect(await cleanup.sweep()).toEqual(['busy']);
      expect([...pool.allAllocations()]).toEqual([]);
      const id = gone.workerId;
      await gone.connect();
      expect(await names()).toEqual(['gone', 'here', 'late']);
      expect(gone.workerId).not.toBe(id);
    } finally {
      await parts.close();
    }
  });
});

describe('cleanup a worker by hand', () => {
  let server: TestServer;
  let worker: SimulatedWorker;
  beforeAll(async () => {
    server = await startTestServer();
    worker = new SimulatedWorker(server.url, server.workerKey, { name: 'w' });
    await worker.connect();
  });
  afterAll(async () => server.close());

  const call = async (method: string, path: string, key = server.adminKey): Promise<[number, unknown]> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`${server.url}/api/v1${path}`, { method, headers });
    return [response.status, await response.json()];
  };

  it('is refused while it is connected and to whoever is no admin, done when it is gone, and in the audit log', async () => {
    const id = worker.welcome?.workerId ?? '';
    const operator = await server.createKey({ name: 'o', role: 'operator' });
    expect((await call('DELETE', `/workers/${id}`, operator))[0]).toBe(403);
    expect(await call('DELETE', `/workers/${id}`)).toMatchObject([409, { code: 'worker.not_possible' }]);
    worker.close();
    let told = await call('DELETE', `/workers/${id}`);
    for (let turn = 0; told[0] === 409 && turn < 100; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      told = await call('DELETE', `/workers/${id}`);
    }
    expect(told).toMatchObject([200, { id, name: 'w', online: false }]);
    expect(await call('DELETE', `/workers/${id}`)).toMatchObject([404, { code: 'server.not_found' }]);
    expect((await call('GET', '/workers'))[1]).toMatchObject({ items: [] });
    const [, audit] = await call('GET', '/audit?first=5');
    expect(JSON.stringify(audit)).toContain(`"action":"worker.forget","subject":"${id}","outcome":"done"`);
  });
});
