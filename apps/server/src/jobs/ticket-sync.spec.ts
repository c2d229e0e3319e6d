import { Redis } from 'ioredis';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createJob } from '../../../../test/support/create-job.js';
import { type RedisService, startRedis } from '../../../../test/support/redis.js';
import { describeWith } from '../../../../test/support/service.js';
import { SimulatedWorker } from '../../../../test/support/simulated-worker.js';
import { startTestServer, type TestServer } from '../../../../test/support/start-server.js';
import { createId } from '../database/create-id.js';
import { newRun } from '../runs/new-run.js';
import { Run } from '../runs/run.entity.js';
import { Job } from './job.entity.js';
import { JobService } from './job.service.js';
import { DISPATCH_QUEUE, type DispatchQueue } from './dispatch.provider.js';
import { laneOf, newJob, ticketLaneOf } from './new-job.js';
import { SchedulerService } from './scheduler.service.js';
import { Tickets } from './tickets.js';

describeWith(['redis'], 'jobs whose tickets lie in Redis', () => {
  let redis: RedisService;
  let server: TestServer;
  let worker: SimulatedWorker;
  beforeAll(async () => {
    redis = await startRedis();
    server = await startTestServer({ dispatch: { driver: 'bullmq-redis', url: redis.url } });
    worker = new SimulatedWorker(server.url, server.workerKey, { name: 'w' });
    await worker.connect();
  }, 60_000);
  afterAll(async () => {
    worker.close();
    await server.close();
    await redis.stop();
  });

  const stateOf = async ({ id }: Job): Promise<string> =>
    (await server.app.get(DataSource).getRepository(Job).findOneByOrFail({ id })).state;

  it('are created, cancelled and followed while Redis hangs, and placed when it goes on', async () => {
    const first = await createJob(server);
    const assignment = await worker.assigned(1);
    await worker.begin(assignment);
    redis.freeze();
    const from = Date.now();
    const jobs = [];
    for (let count = 0; count < 3; count += 1) {
      jobs.push(await createJob(server));
      const said = await worker.say(assignment, { kind: 'log', time: 1, text: `line ${count}` });
      expect(said).toMatchObject({ ok: true });
    }
    const [cancelled, raised, next] = jobs as [Job, Job, Job];
    await server.app.get(JobService).cancel(cancelled.id, { now: true });
    await server.app.get(JobService).setPriority(raised.id, 9);
    await worker.end(assignment);
    // One call to Redis gives up after 15 s.
    expect(Date.now() - from).toBeLessThan(10_000);
    expect(await stateOf(first)).toBe('finished');
    redis.thaw();
    const second = await worker.assigned(2);
    expect(second.jobId).toBe(raised.id);
    await worker.end(second);
    const third = await worker.assigned(3);
    expect(third.jobId).toBe(next.id);
    await worker.end(third);
    expect(await stateOf(cancelled)).toBe('cancelled');
  }, 60_000);

  it('move to the lane that is theirs when a person lets them go on with other plugins', async () => {
    const queue = server.app.get<DispatchQueue>(DISPATCH_QUEUE);
    const jobs = server.app.get(JobService);
    const placeOf = async ({ id }: Job) => {
      await server.app.get(Tickets).settled();
      return (await queue.waiting(undefined, 99)).filter(({ jobId }) => jobId === id);
    };
    const needs = { kind: 'cpu' as const, count: 1, memoryMb: 0, labels: ['nowhere'] };
    const job = await createJob(server, { needs, priority: 4 });
    const [own] = await placeOf(job);
    // as if it kept plugins
    const kept = { ...job, lane: laneOf(needs, [{ kind: 'a', id: 'b', version: '1', sha256: 'c' }]) };
    await server.app.get(DataSource).getRepository(Job).update({ id: job.id }, { lane: kept.lane });
    await server.app.get(Tickets).reconcile();
    const [apart] = await placeOf(job);
    expect(apart).toEqual({ ...own, lane: ticketLaneOf(kept) });
    redis.freeze();
    const from = Date.now();
    await jobs.resume(job.id, true);
    await jobs.setPriority(job.id, 6);
    expect(Date.now() - from).toBeLessThan(5000);
    redis.thaw();
    expect(await placeOf(job)).toEqual([{ ...own, priority: 6 }]);
    expect(await queue.lanes()).not.toContain(apart?.lane);
    await jobs.cancel(job.id, { now: true });
    expect(await placeOf(job)).toEqual([]);
  }, 30_000);

  it('get the tickets they lack, and lose those they should not have', async () => {
    const source = server.app.get(DataSource);
    const given = { project: 'default', createdAt: Date.now(), createdBy: 'admin', priority: 0 };
    const needs = { kind: 'cpu' as const, count: 1, memoryMb: 0, labels: [] };
    const run = newRun({ ...given, needs, id: createId('run'), name: 'n', spec: {}, specHash: 'h' });
    const job = newJob({ ...given, needs, id: createId('job'), runId: run.id });
    // as if the server had ended between the commit and the call
    await source.getRepository(Run).insert(run as never);
    await source.getRepository(Job).insert(job as never);
    await server.app.get(Tickets).reconcile();
    const assignment = await worker.assigned(4);
    expect(assignment.jobId).toBe(job.id);
    const waiting = await createJob(server);
    await server.app.get(SchedulerService).settled();
    await source.getRepository(Job).update({ id: waiting.id }, { state: 'paused' });
    await server.app.get(Tickets).reconcile();
    await server.app.get(Tickets).settled();
    const client = new Redis(redis.url);
    expect(await client.keys(`*${waiting.id}*`)).toEqual([]);
    client.disconnect();
    await worker.end(assignment);
  }, 30_000);
});
