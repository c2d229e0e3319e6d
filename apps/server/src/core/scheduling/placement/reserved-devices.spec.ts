import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cpuSlots, gpus } from '../../../../../../test/support/simulated-worker.js';
import { ApiKey } from '../../database/entities/api-key.js';
import { FakeWorker } from '../../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../../testing/job-parts.js';
import { Job } from '../../database/entities/job.js';

describe('a large job among small ones', () => {
  let parts: JobParts;
  const workers: FakeWorker[] = [];
  beforeEach(async () => {
    parts = await createJobParts({ reserveAfterSeconds: 300, leaseSeconds: 3600 });
  });
  afterEach(async () => {
    workers.length = 0;
    await parts.close();
  });

  const connect = async (name: string, devices = gpus(4), labels: string[] = []): Promise<FakeWorker> => {
    const worker = new FakeWorker(parts, name, devices, labels);
    workers.push(worker);
    await worker.connect();
    return worker;
  };
  const create = async (count: number, more: Partial<Job> = {}): Promise<Job> =>
    parts.createJob({ kind: 'gpu', count }, more);
  const settle = async (): Promise<void> => {
    parts.clock.pass(1000);
    await parts.scheduler.idle();
    // deliveries are on their way
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const stateOf = async ({ id }: Job): Promise<string> =>
    (await parts.source.getRepository(Job).findOneByOrFail({ id })).state;
  const explain = async ({ id }: Job): Promise<string> => parts.explanations.explain(id);
  /** Ends the oldest attempt of a worker, while another small job comes. */
  const endOne = async (worker: FakeWorker): Promise<void> => {
    const [held] = worker.holding.values();
    if (held === undefined) throw new Error(`${worker.name} has nothing`);
    await worker.end(held, 0);
    await create(1);
    await settle();
  };
  const waitLong = async (): Promise<void> => {
    parts.clock.pass(300_000);
    await settle();
  };

  it('is passed while it is young, and gets what becomes free when it has waited long', async () => {
    const worker = await connect('w');
    for (let count = 0; count < 4; count += 1) await create(1);
    await settle();
    const large = await create(4);
    for (let count = 0; count < 3; count += 1) await endOne(worker);
    expect(worker.received).toHaveLength(7);
    await waitLong();
    for (let count = 1; count <= 3; count += 1) {
      await endOne(worker);
      expect(await explain(large)).toBe(
        `It has waited long, so devices of worker "w" are reserved for it: ${count} of the 4 GPUs it needs ${count === 1 ? 'is' : 'are'} free.`,
      );
    }
    expect(worker.received).toHaveLength(7);
    const young = await create(1);
    await settle();
    expect(await explain(young)).toMatch(
      new RegExp(
        `^Free devices of worker "w" are reserved for job ${large.id}, .*; 4 jobs are ahead of it\\.$`,
      ),
    );
    await endOne(worker);
    expect(await stateOf(large)).toBe('assigned');
    const [held] = worker.holding.values();
    expect(held?.assignment).toMatchObject({ jobId: large.id });
    if (held !== undefined) await worker.end(held, 0);
    await settle();
    expect(worker.holding.size).toBe(4);
  });

  it('leaves other devices to others, and lets jobs of higher order have them all', async () => {
    const worker = await connect('w', [...gpus(4), ...cpuSlots(2)]);
    await create(1);
    await settle();
    const large = await create(4);
    await waitLong();
    const small = await create(1);
    const slot = await parts.createJob({ count: 2 });
    const urgent = await create(2, { priority: 1 });
    await settle();
    expect(await Promise.all([large, small, slot, urgent].map(stateOf))).toEqual(
      'queued queued assigned assigned'.split(' '),
    );
    expect(await explain(large)).toMatch(/: 1 of the 4 GPUs it needs is free\.$/);
    expect(worker.received).toHaveLength(3);
  });

  it('has devices kept elsewhere when its worker goes away or is drained', async () => {
    const first = await connect('first');
    const second = await connect('second');
    for (let count = 0; count < 4; count += 1) await create(1);
    await settle();
    const full = [first, second].find(({ holding }) => holding.size === 4) as FakeWorker;
    const other = full === first ? second : first;
    await parts.createJob({ kind: 'gpu', count: 1 });
    await settle();
    const large = await create(4);
    await waitLong();
    expect(await explain(large)).toContain(`of worker "${other.name}" are reserved for it: 3 of`);
    other.disconnect();
    await waitLong();
    expect(await explain(large)).toContain(`of worker "${full.name}" are reserved for it: 0 of`);
    await other.connect();
    await waitLong();
    expect(await explain(large)).toContain(`of worker "${other.name}" are reserved for it: 3 of`);
    await parts.rows.change(other.workerId, { draining: true });
    await settle();
    expect(await explain(large)).toContain(`of worker "${full.name}"`);
    await parts.rows.change(full.workerId, { draining: true });
    await settle();
    expect(await explain(large)).toMatch(/would fit but is drained/);
  });

  it('stands in nobody’s way once it is gone, or its key is at its quota', async () => {
    await parts.source.getRepository(ApiKey).insert({
      id: 'key-limited',
      name: 'limited',
      role: 'operator',
      projects: ['*'],
      prefix: 'p',
      hash: 'h',
      maxRunning: 1,
      lineage: 'key-limited',
      createdAt: 0,
      lastUsedAt: null,
      revokedAt: null,
    });
    await parts.quotas.read();
    const worker = await connect('w');
    await create(1);
    await settle();
    const large = await create(4, { createdBy: 'limited' });
    await waitLong();
    const small = await create(1);
    await settle();
    expect(await stateOf(small)).toBe('queued');
    await parts.createJob({ count: 1 }, { createdBy: 'limited', priority: 5 });
    await connect('slots', cpuSlots(1));
    await settle();
    expect(await stateOf(small)).toBe('assigned');
    const later = await create(4);
    await waitLong();
    const smaller = await create(1);
    await settle();
    expect(await stateOf(smaller)).toBe('queued');
    await parts.jobs.cancel(later.id, { now: true });
    await parts.queue.refresh();
    await settle();
    expect(await stateOf(smaller)).toBe('assigned');
    expect([await stateOf(large), worker.received.length]).toEqual(['queued', 3]);
  });

  it('of another project is not named to those who wait behind it', async () => {
    const worker = await connect('w');
    for (let count = 0; count < 4; count += 1) await create(1);
    await settle();
    const large = await create(4, { project: 'secret' });
    await waitLong();
    await endOne(worker);
    const young = await create(1);
    const own = await create(1, { project: 'secret' });
    await settle();
    expect(await explain(young)).toMatch(
      /^Free devices of worker "w" are reserved for another project's job, which/,
    );
    expect(await explain(own)).toContain(`are reserved for job ${large.id}, which`);
  });

  it('takes turns with another that has waited long, while the rest goes on elsewhere', async () => {
    const first = await connect('first');
    const second = await connect('second');
    for (let count = 0; count < 8; count += 1) await create(1);
    await settle();
    const older = await create(4);
    // the clock stands still, so ids decide, which tell two jobs of one millisecond apart by chance
    await new Promise((done) => setTimeout(done, 2));
    const younger = await create(3);
    await waitLong();
    await endOne(first);
    await endOne(second);
    const kept = /worker "first"/.test(await explain(older)) ? first : second;
    const open = kept === first ? second : first;
    expect([kept.holding.size, open.holding.size]).toEqual([3, 4]);
    for (let count = 0; count < 3; count += 1) await endOne(kept);
    expect(await stateOf(older)).toBe('assigned');
    expect(await explain(younger)).toMatch(/are reserved for it: 0 of the 3 GPUs/);
    for (let count = 0; count < 3; count += 1) await endOne(open);
    expect(await stateOf(younger)).toBe('assigned');
  });
});
