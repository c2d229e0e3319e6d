import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@espalier/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubernetesApi } from '../../../../../test/support/kubernetes-api.js';
import { cpuSlots } from '../../../../../test/support/simulated-worker.js';
import { FakeWorker, type HeldAttempt } from '../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { Job } from '../database/entities/job.js';
import { LaunchedWorker } from '../database/entities/launched-worker.js';
import { LaunchedWorkers } from './launched-workers.js';

describe('a launched worker that its host no longer knows', () => {
  let folder: string;
  let parts: JobParts;
  let scaling: LaunchedWorkers;
  let launched: FakeWorker;
  let other: FakeWorker;
  let job: Job;
  let held: HeldAttempt;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'espalier-launched-'));
    const launchers = [{ name: 'here', driver: 'local', folder, pollSeconds: 3600 }];
    parts = await createJobParts({ leaseSeconds: 3600, launchers } as never);
    const keys = { discard: () => Promise.resolve() } as never;
    const { launches, pool, rows, attempts, clock } = parts;
    const options = { ...parts.options, data: folder };
    scaling = new LaunchedWorkers(launches, keys, pool, rows, attempts, clock, options);
    const row = await launches.add('here', 'p');
    await launches.change(row, { state: 'online', handle: row.name, connectedAt: clock.now() });
    launched = new FakeWorker(parts, row.name, cpuSlots(1));
    other = new FakeWorker(parts, 'other', []);
    await launched.connect();
    job = await parts.createJob();
    held = await take(launched);
  });
  afterEach(async () => {
    await scaling.settle();
    await parts.close();
    rmSync(folder, { recursive: true });
  });

  /** Starts the attempt that a worker gets. */
  async function take(worker: FakeWorker): Promise<HeldAttempt> {
    parts.scheduler.start();
    await parts.scheduler.idle();
    await waitFor('it has an attempt', () => worker.holding.size > 0);
    const [attempt] = worker.holding.values();
    if (attempt === undefined) throw new Error('it lost the attempt');
    await worker.start(attempt);
    await worker.train(attempt, 0);
    return attempt;
  }
  const look = async (): Promise<void> => {
    scaling.poll();
    await scaling.settle();
  };
  const read = (): Promise<Job> => parts.source.getRepository(Job).findOneByOrFail({ id: job.id });
  const connectOther = async (): Promise<void> => {
    other.devices = cpuSlots(1);
    await other.connect();
  };

  it('leaves its jobs to others at once, long before the lease ends', async () => {
    launched.die();
    await look();
    expect(await read()).toMatchObject({ state: 'queued', failures: 0, notBefore: null });
    expect((await read()).message).toMatch(/its worker is over: it no longer exists/);
    await connectOther();
    expect((await take(other)).assignment.token).toBe(2);
  });

  it('is looked for again a second after its connection broke, where pollSeconds says an hour', async () => {
    const place = join(folder, launched.name);
    mkdirSync(join(place, 'started'), { recursive: true });
    await look();
    rmSync(place, { recursive: true });
    const stateAfter = async (ms: number): Promise<string> => {
      parts.clock.pass(ms);
      await scaling.advance();
      await look();
      return (await read()).state;
    };
    expect(await stateAfter(5000)).toBe('running');
    launched.die();
    expect(await stateAfter(0)).toBe('queued');
  });

  it('may train on: it gets nothing more, and what it sends is refused once its job is with another', async () => {
    await look();
    expect(await read()).toMatchObject({ state: 'queued' });
    await parts.scheduler.idle();
    // it is connected, and free by what the server knows
    expect(launched.received).toHaveLength(1);
    await connectOther();
    const second = await take(other);
    expect(second.assignment.token).toBe(2);
    await expect(launched.train(held, 1)).rejects.toMatchObject({ code: 'worker.fenced' });
    await launched.connect();
    expect(launched.holding.size).toBe(0);
    await other.train(second, 1);
    expect(await read()).toMatchObject({ state: 'running', token: 2 });
  });
});

describe('a launched worker of Kubernetes that has not started', () => {
  let api: KubernetesApi;
  let parts: JobParts;
  let scaling: LaunchedWorkers;

  beforeEach(async () => {
    api = await new KubernetesApi().start();
    api.unschedulable = 'no node is free';
    const launcher = {
      name: 'pods',
      driver: 'kubernetes',
      namespace: 'lab',
      image: 'espalier',
      kubeconfig: api.kubeconfig,
      pollSeconds: 1,
      pendingSeconds: 60,
      worker: { server: 'http://127.0.0.1:4500' },
    };
    parts = await createJobParts({ launchers: [launcher] } as never);
    const keys = {
      create: () => Promise.resolve({ key: { id: 'key' }, secret: 'secret' }),
      discard: () => Promise.resolve(),
    };
    const { launches, pool, rows, attempts, clock, options } = parts;
    scaling = new LaunchedWorkers(launches, keys as never, pool, rows, attempts, clock, options);
  });
  afterEach(async () => {
    await scaling.settle();
    await parts.close();
    await api.stop();
  });

  /** Looks at its workers when pollSeconds have passed. */
  const look = async (): Promise<void> => {
    parts.clock.pass(1000);
    scaling.poll();
    await scaling.settle();
    await scaling.advance();
  };
  it('is not stopped once its launcher has left the settings, which is said', async () => {
    const { name } = await parts.launches.add('gone', 'p');
    expect(parts.launches.abandoned().map((row) => row.name)).toEqual([name]);
    await expect(scaling.stop(name)).rejects.toMatchObject({
      code: 'server.not_found',
      message: expect.stringMatching(/its launcher "gone" is not in the settings any more/),
    });
    expect(parts.launches.worker(name)?.state).toBe('starting');
  });

  const launch = async (): Promise<void> => {
    await scaling.launch('pods', 'p', 4500);
    await waitFor('its Job is there', () => parts.launches.workers('pods')[0]?.state === 'pending');
    await look();
  };

  it('is withdrawn at once where that will stand, and its launcher backs off with the reason', async () => {
    api.admission = 'violates PodSecurity "restricted:latest": runAsNonRoot != true';
    await launch();
    expect(parts.launches.workers('pods')).toMatchObject([
      { state: 'stopping', reason: `the cluster refuses it: ${api.admission}` },
    ]);
    const status = parts.launches.launcher('pods');
    expect(status).toMatchObject({ failures: 1, problem: expect.stringContaining('PodSecurity') as string });
    expect(api.jobs.size).toBe(0);
    await look();
    expect(parts.launches.workers('pods')).toEqual([]);
    expect([api.secrets.size, status?.failures]).toEqual([0, 1]);
  });

  it('keeps its row until its Secret is deleted, which is tried again at each look', async () => {
    await launch();
    api.jobs.clear();
    api.pods.clear();
    api.withoutRight.add('secrets');
    for (let looks = 0; looks < 3; looks += 1) await look();
    const reason = 'it no longer exists';
    expect(parts.launches.workers('pods')).toMatchObject([{ state: 'stopping', reason }]);
    // it failed once, however often it is looked at
    expect(parts.launches.launcher('pods')?.failures).toBe(1);
    expect(api.secrets.size).toBe(1);
    api.withoutRight.clear();
    await look();
    expect([parts.launches.workers('pods'), api.secrets.size]).toEqual([[], 0]);
    const rows = await parts.source.getRepository(LaunchedWorker).find();
    expect(rows).toMatchObject([{ state: 'ended', reason }]);
  });

  it('is over after ten minutes where its Secret cannot be deleted', async () => {
    await launch();
    api.jobs.clear();
    api.pods.clear();
    api.withoutRight.add('secrets');
    await look();
    parts.clock.pass(590_000);
    await look();
    expect(parts.launches.workers('pods')).toHaveLength(1);
    parts.clock.pass(10_000);
    await look();
    expect(parts.launches.workers('pods')).toEqual([]);
  });

  it('has CPU slots alone where its launcher is of kind cpu, though its machine has GPUs', async () => {
    await launch();
    const [secret] = api.secrets.values();
    const decode = (name: string) =>
      Buffer.from(secret?.data[`ESPALIER__WORKER__${name}`] ?? '', 'base64').toString();
    expect([decode('SLOTS'), decode('GPUS')]).toEqual(['1', 'off']);
  });

  it('waits with the reason where a quota is used up, and is given up with it after pendingSeconds', async () => {
    api.admission = 'exceeded quota: gpus, requested: requests.nvidia.com/gpu=1, used: 8, limited: 8';
    await launch();
    expect(parts.launches.workers('pods')).toMatchObject([{ state: 'pending', reason: api.admission }]);
    expect(parts.launches.launcher('pods')?.failures).toBe(0);
    parts.clock.pass(60_000);
    await look();
    expect(parts.launches.launcher('pods')?.problem).toMatch(
      /has not started it within 60 s: exceeded quota: gpus/,
    );
  });
});
