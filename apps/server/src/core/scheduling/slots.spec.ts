import { activeStates, stoppedStates } from '@espalier/protocol';
import { In } from 'typeorm';
import { expect, it } from 'vitest';
import { describePartsOnEach } from '../../../../../test/support/each-database.js';
import { cpuSlots, gpus } from '../../../../../test/support/simulated-worker.js';
import { ApiKey } from '../database/entities/api-key.js';
import { FakeWorker } from '../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';

/** fewer where each takes longer: the rules are the same, the statements are not */
const operations = { sqlite: 2000, postgres: 150 } as const;
/** what must have happened at least, lest the operations prove nothing */
const least = {
  sqlite: { each: 51, assigned: 101, expired: 11 },
  postgres: { each: 2, assigned: 4, expired: 0 },
} as const;
const quota = 3;

/** Numbers below a bound that are the same every time. */
function createPick(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** What must hold after every operation. */
async function check(parts: JobParts): Promise<void> {
  const { pool, source, counters } = parts;
  expect([pool.countConflicts(), counters.values.conflicts]).toEqual([0, 0]);
  const places = [...pool.allAllocations()];
  for (const worker of pool.connected()) {
    const own = pool.allocationsOf(worker.row.id).flatMap(({ devices }) => devices);
    const free = pool.freeOf(worker).map(({ id }) => id);
    const idle = worker.row.devices.filter(({ id, faults }) => faults.length > 0 && !own.includes(id));
    expect([...own, ...free, ...idle.map(({ id }) => id)].sort()).toEqual(
      worker.row.devices.map(({ id }) => id).sort(),
    );
  }
  const held = await source.getRepository(Job).find({ where: { state: In([...activeStates]) } });
  const effective = places.filter(({ isOrphan }) => !isOrphan);
  expect(effective.map(({ attemptId }) => attemptId).sort()).toEqual(
    held.map(({ attemptId }) => attemptId).sort(),
  );
  const going = await source.getRepository(Attempt).countBy({ state: In(['assigned', 'running']) });
  expect(going).toBe(held.length);
  const limited = held.filter(({ createdBy }) => createdBy === 'limited').length;
  expect(limited).toBe(pool.runningOf('limited'));
  expect(limited).toBeLessThanOrEqual(quota);
}

describePartsOnEach('slots', (open, kind) => {
  it(`are conserved over ${operations[kind]} random operations`, async () => {
    const parts = await createJobParts({
      ...(await open()),
      leaseSeconds: 10,
      retrySeconds: 1,
      maxFailures: 2,
    });
    const pick = createPick(11);
    const workers = Array.from({ length: 6 }, (_, index) => {
      const devices = index % 2 === 0 ? cpuSlots(1 + index) : gpus(2 * index);
      return new FakeWorker(parts, `w${index}`, devices, index > 3 ? ['new'] : []);
    });
    const any = (): FakeWorker => workers[pick(workers.length)] as FakeWorker;
    const jobs: Job[] = [];
    const some = (): string => jobs[pick(jobs.length)]?.id ?? '';
    const calm = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);
    const counts: Record<string, number> = {};
    const actions: Record<string, () => unknown> = {
      create: async () => {
        const kind = pick(2) === 0 ? ('cpu' as const) : ('gpu' as const);
        const needs = { kind, count: 1 + pick(3), labels: pick(5) === 0 ? ['new'] : [] };
        const createdBy = pick(3) === 0 ? 'limited' : 'k';
        jobs.push(await parts.createJob(needs, { priority: pick(5) - 2, createdBy }));
      },
      connect: async () => {
        const worker = any();
        if (!worker.isOnline) await worker.connect();
      },
      disconnect: () => any().disconnect(),
      die: () => any().die(),
      beat: async () => {
        for (const worker of workers) if (worker.isOnline) await worker.beat();
      },
      begin: async () => {
        const worker = any();
        for (const held of worker.holding.values()) if (held.sequence === 0) await calm(worker.start(held));
      },
      end: async () => {
        const worker = any();
        const [held] = worker.holding.values();
        const [code, signal] = [
          [0, null],
          [0, null],
          [75, null],
          [5, null],
          [2, null],
          [null, 'SIGKILL'],
        ][pick(6)] as [number | null, string | null];
        if (held !== undefined && worker.isOnline) await calm(worker.end(held, code, signal));
      },
      pause: () => calm(parts.jobs.pause(some())),
      resume: () => calm(parts.jobs.resume(some())),
      cancel: () => calm(parts.jobs.cancel(some(), { now: pick(2) === 0 })),
      priority: () => calm(parts.jobs.setPriority(some(), pick(20) - 10)),
      fault: async () => {
        const worker = any();
        worker.devices = worker.devices.map((device) => ({
          ...device,
          faults: pick(4) === 0 ? ['XID 79'] : [],
        }));
        if (worker.isOnline) await worker.beat();
      },
      drain: () => any().workerId !== '' && parts.rows.change(any().workerId, { draining: pick(2) === 0 }),
      pass: async () => {
        parts.clock.pass(3000);
        for (const id of parts.leases.expired()) await parts.attempts.expire(id);
        parts.queue.endBackoffs();
      },
    };
    const names = Object.keys(actions);
    try {
      await parts.source.getRepository(ApiKey).insert({
        id: 'key-limited',
        name: 'limited',
        role: 'operator',
        projects: ['*'],
        prefix: 'p',
        hash: 'h',
        maxRunning: quota,
        lineage: 'key-limited',
        createdAt: 0,
        lastUsedAt: null,
        revokedAt: null,
      });
      await parts.quotas.read();
      for (let count = 0; count < operations[kind]; count += 1) {
        const name = names[pick(names.length)] as string;
        await actions[name]?.();
        counts[name] = (counts[name] ?? 0) + 1;
        await parts.scheduler.idle();
        await check(parts);
      }
      for (const name of names) expect([name, (counts[name] ?? 0) >= least[kind].each]).toEqual([name, true]);
      expect(parts.counters.values.assigned).toBeGreaterThanOrEqual(least[kind].assigned);
      expect(parts.counters.values.expired).toBeGreaterThanOrEqual(least[kind].expired);
      await finishEverything(parts, workers);
      const open = await parts.source.getRepository(Job).countBy({ state: In(['queued', ...activeStates]) });
      expect([open, [...parts.pool.allAllocations()]]).toEqual([0, []]);
      expect(stoppedStates).toContain((await parts.source.getRepository(Job).find())[0]?.state);
    } finally {
      await parts.close();
    }
  }, 180_000);
});

/** Brings all workers back, healthy, and lets them finish whatever there is. */
async function finishEverything(parts: JobParts, workers: FakeWorker[]): Promise<void> {
  for (const worker of workers) {
    worker.devices = worker.devices.map((device) => ({ ...device, faults: [] }));
    worker.disconnect();
    await worker.connect();
    await parts.rows.change(worker.workerId, { draining: false });
  }
  for (let round = 0; round < 400; round += 1) {
    parts.clock.pass(3000);
    for (const worker of workers) await worker.beat();
    for (const id of parts.leases.expired()) await parts.attempts.expire(id);
    parts.queue.endBackoffs();
    await parts.scheduler.idle();
    for (const worker of workers)
      for (const held of [...worker.holding.values()]) await worker.end(held, 0).catch(() => undefined);
    if ((await parts.source.getRepository(Job).countBy({ state: In(['queued', ...activeStates]) })) === 0)
      return;
  }
}
