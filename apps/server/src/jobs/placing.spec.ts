import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { createJob } from '../../../../test/support/create-job.js';
import { cpuSlots, gpus, SimulatedWorker } from '../../../../test/support/simulated-worker.js';
import { startTestServer, type TestServer } from '../../../../test/support/start-server.js';
import { Job } from './job.entity.js';

describe('placing over real sockets', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(async () => server.close());

  it('gives a job to a worker, and follows its process to the end', async () => {
    const worker = new SimulatedWorker(server.url, server.workerKey, { name: 'w1', devices: cpuSlots(1) });
    await worker.connect();
    const job = await createJob(server);
    const assignment = await worker.assigned(1);
    expect(assignment).toMatchObject({ jobId: job.id, token: 1, number: 1, threads: 1 });
    expect(await worker.begin(assignment)).toEqual({ ok: true, value: { acked: 1 } });
    expect(await worker.end(assignment)).toEqual({ ok: true, value: { acked: 2 } });
    const after = await server.app.get(DataSource).getRepository(Job).findOneByOrFail({ id: job.id });
    expect(after).toMatchObject({ state: 'finished', token: 1 });
    void gpus;
    worker.close();
  });
});
