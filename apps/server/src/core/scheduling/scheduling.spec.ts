import { DataSource } from 'typeorm';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createJob, type JobWish } from '../../../../../test/support/create-job.js';
import { describeOnEach } from '../../../../../test/support/each-database.js';
import {
  cpuSlots,
  gpus,
  type SimulatedOptions,
  SimulatedWorker,
} from '../../../../../test/support/simulated-worker.js';
import { startTestServer, type TestServer } from '../../../../../test/support/start-server.js';
import { ApiKey } from '../database/entities/api-key.js';
import { KeyService } from '../access/key.service.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { ExplainService } from './explain.service.js';
import { JobService } from './job.service.js';
import { SchedulerService } from './scheduler.service.js';

const define = (running: () => TestServer): void => {
  let server: TestServer;
  let names = 0;
  const workers: SimulatedWorker[] = [];
  beforeAll(() => {
    server = running();
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) worker.close();
    const jobs = await server.app.get(DataSource).getRepository(Job).findBy({ state: 'queued' });
    for (const { id } of jobs) await server.app.get(JobService).cancel(id, { now: true });
  });

  const connect = async (options: Partial<SimulatedOptions> = {}): Promise<SimulatedWorker> => {
    const worker = new SimulatedWorker(server.url, server.workerKey, { name: `w${++names}`, ...options });
    workers.push(worker);
    await worker.connect();
    return worker;
  };
  const read = async ({ id }: Job): Promise<Job> =>
    server.app.get(DataSource).getRepository(Job).findOneByOrFail({ id });
  const explain = async ({ id }: Job): Promise<string> => server.app.get(ExplainService).explain(id);
  const settled = async (): Promise<void> => server.app.get(SchedulerService).idle();
  const label = (): JobWish & { needs: { labels: string[] } } => ({ needs: { labels: [`l${++names}`] } });

  it('gives a job to a worker, and follows its process to the end', async () => {
    const worker = await connect();
    const job = await createJob(server);
    const assignment = await worker.assigned(1);
    expect(assignment).toMatchObject({ jobId: job.id, token: 1, number: 1, threads: 1, resume: null });
    expect(await worker.begin(assignment)).toEqual({ ok: true, value: { acked: 1 } });
    expect(await read(job)).toMatchObject({ state: 'running', message: `on w${names}` });
    expect(await worker.end(assignment)).toEqual({ ok: true, value: { acked: 2 } });
    expect(await read(job)).toMatchObject({ state: 'finished', token: 1, workerId: null });
  });

  it('serves higher priority first, then age', async () => {
    const wish = label();
    const low = await createJob(server, { ...wish, priority: -1 });
    const old = await createJob(server, wish);
    const young = await createJob(server, wish);
    const high = await createJob(server, { ...wish, priority: 5 });
    const raised = await createJob(server, { ...wish, priority: -50 });
    await server.app.get(JobService).setPriority(raised.id, 50);
    const worker = await connect({ labels: wish.needs.labels });
    for (let count = 1; count <= 5; count += 1) await worker.end(await worker.assigned(count));
    const order = worker.assignments.map(({ jobId }) => jobId);
    expect(order).toEqual([raised, high, old, young, low].map(({ id }) => id));
  });

  it('lets small jobs pass a large one that does not fit', async () => {
    const [tag] = label().needs.labels as [string];
    const large = await createJob(server, { needs: { count: 4, labels: [tag] }, priority: 9 });
    const small = await createJob(server, { needs: { labels: [tag] } });
    const worker = await connect({ labels: [tag], devices: cpuSlots(2) });
    expect((await worker.assigned(1)).jobId).toBe(small.id);
    expect(await explain(large)).toBe('No worker has 4 CPU slots; the largest has 2.');
    expect((await read(large)).state).toBe('queued');
  });

  it('never puts two jobs on one device, and gives a freed one to the next', async () => {
    const wish = label();
    const worker = await connect({ ...wish.needs, devices: cpuSlots(2) });
    const jobs = [
      await createJob(server, wish),
      await createJob(server, wish),
      await createJob(server, wish),
    ];
    const first = await worker.assigned(1);
    const second = await worker.assigned(2);
    expect(new Set([...first.devices, ...second.devices].map(({ id }) => id)).size).toBe(2);
    await settled();
    expect(worker.assignments).toHaveLength(2);
    expect(await explain(jobs[2] as Job)).toBe('All 2 CPU slots are busy; it is the next.');
    await worker.end(second);
    const third = await worker.assigned(3);
    expect(third.devices).toEqual(second.devices);
    expect(server.app.get(WorkerPool).countConflicts()).toBe(0);
  });

  it('gives several GPUs of one worker to a job, the smallest worker that has them', async () => {
    const [tag] = label().needs.labels as [string];
    const large = await connect({ labels: [tag], devices: gpus(8) });
    const small = await connect({ labels: [tag], devices: gpus(2) });
    await createJob(server, { needs: { kind: 'gpu', count: 2, labels: [tag] } });
    const assignment = await small.assigned(1);
    expect(assignment.devices.map(({ index }) => index)).toEqual([0, 1]);
    const stored = await server.app
      .get(DataSource)
      .getRepository(Attempt)
      .findOneByOrFail({ id: assignment.attemptId });
    expect(stored.hardware).toEqual(
      assignment.devices.map(({ id, kind, name, threads, memoryMb }) => ({
        id,
        kind,
        name,
        threads,
        memoryMb,
      })),
    );
    expect(large.assignments).toHaveLength(0);
  });

  it('keeps a key within its quota from the moment it is created, and lets other keys pass', async () => {
    await server.createKey({ name: 'ci', role: 'operator', maxRunning: 2 });
    const wish = label();
    const worker = await connect({ ...wish.needs, devices: cpuSlots(4) });
    const limited: Job[] = [];
    for (let count = 0; count < 3; count += 1)
      limited.push(await createJob(server, { ...wish, createdBy: 'ci', priority: 10 }));
    const other = await createJob(server, wish);
    await worker.assigned(3);
    await settled();
    // what is placed together is told at the same time
    expect(worker.assignments.map(({ jobId }) => jobId).sort()).toEqual(
      [limited[0]?.id, limited[1]?.id, other.id].sort(),
    );
    expect(await explain(limited[2] as Job)).toBe(
      'The key that created it runs 2 of at most 2 jobs; one of them has to end first.',
    );
    const first = worker.assignments.find(({ jobId }) => jobId === limited[0]?.id);
    await worker.end(first as never);
    expect((await worker.assigned(4)).jobId).toBe(limited[2]?.id);
  });

  it('goes back to the worker that had the run before', async () => {
    const wish = label();
    const before = await connect({ ...wish.needs, devices: cpuSlots(4) });
    const job = await createJob(server, wish);
    const first = await before.assigned(1);
    await connect({ ...wish.needs, devices: cpuSlots(1) });
    await before.say(first, { kind: 'metrics', time: 1, step: 0, values: {} });
    await before.end(first, 75, null, 'saved and stopped');
    expect((await before.assigned(2)).jobId).toBe(job.id);
    expect(await read(job)).toMatchObject({ token: 2, failures: 0 });
  });

  it('leaves out devices with faults and workers that are drained, and says so', async () => {
    const wish = label();
    const worker = await connect({
      ...wish.needs,
      devices: gpus(1).map((gpu) => ({ ...gpu, faults: ['XID 79'] })),
    });
    const job = await createJob(server, { needs: { kind: 'gpu', ...wish.needs } });
    await settled();
    expect(await explain(job)).toMatch(/is drained because of XID 79\.$/);
    worker.devices = gpus(1);
    await worker.beat();
    await worker.end(await worker.assigned(1));
    const id = worker.welcome?.workerId as string;
    await send(server, `/api/v1/workers/${id}/drain`);
    const next = await createJob(server, { needs: { kind: 'gpu', ...wish.needs } });
    await settled();
    expect(await explain(next)).toMatch(/would fit but is drained/);
    expect(await send(server, `/api/v1/workers/${id}/undrain`)).toMatchObject({ draining: false });
    expect((await worker.assigned(2)).jobId).toBe(next.id);
  });

  it('counts the jobs of a key for the one that replaced it', async () => {
    await server.createKey({ name: 'rotated', role: 'operator', maxRunning: 1 });
    const keys = server.app.get(DataSource).getRepository(ApiKey);
    const old = await keys.findOneByOrFail({ name: 'rotated' });
    const wish = label();
    const worker = await connect({ ...wish.needs, devices: cpuSlots(4) });
    await createJob(server, { ...wish, createdBy: old.id });
    await worker.assigned(1);
    const created = await server.app.get(KeyService).rotate(old.id);
    if (!('key' in created)) throw new Error('not rotated');
    const later = await createJob(server, { ...wish, createdBy: old.id });
    const newer = await createJob(server, { ...wish, createdBy: created.key.id });
    await settled();
    expect(worker.assignments).toHaveLength(1);
    for (const job of [later, newer]) expect(await explain(job)).toMatch(/runs 1 of at most 1 job;/);
    await worker.end(worker.assignments[0] as never);
    expect((await worker.assigned(2)).jobId).toBe(later.id);
  });

  it('gives a job to somebody else when a worker refuses it or does not answer', async () => {
    const wish = label();
    const busy = await connect({
      ...wish.needs,
      onAssign: () => ({ ok: false, code: 'worker.busy', message: 'no room' }),
    });
    const job = await createJob(server, wish);
    await busy.assigned(1);
    const willing = await connect({ ...wish.needs, devices: cpuSlots(4) });
    const assignment = await willing.assigned(1);
    expect(assignment).toMatchObject({ jobId: job.id, token: 2 });
    expect(busy.assignments).toHaveLength(1);
  });
};

describeOnEach('placing over real sockets', define, { retrySeconds: 0.05 });

describe('a worker that refused a job', () => {
  it('is given it again after a while', async () => {
    const server = await startTestServer();
    let refusals = 0;
    const worker = new SimulatedWorker(server.url, server.workerKey, {
      name: 'w',
      onAssign: () =>
        refusals++ > 0 ? { ok: true, value: null } : { ok: false, code: 'worker.busy', message: 'not now' },
    });
    try {
      await worker.connect();
      const job = await createJob(server);
      await worker.assigned(1);
      await createJob(server);
      expect((await worker.assigned(2)).jobId).toBe(job.id);
    } finally {
      worker.close();
      await server.close();
    }
  }, 20_000);
});

async function send(server: TestServer, path: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${server.adminKey}` };
  const response = await fetch(`${server.url}${path}`, { method: 'POST', headers });
  return response.json();
}
