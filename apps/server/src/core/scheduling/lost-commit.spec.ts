import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DataSource } from 'typeorm';
import { cpuSlots } from '../../../../../test/support/simulated-worker.js';
import { FakeWorker } from '../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';

/** Lets a transaction fail in its COMMIT, after so many that do not: rolled back, or stored with the answer lost. */
function loseNextCommitAfter(source: DataSource, count: number, isStored: boolean): void {
  let left = count;
  const runner = source.createQueryRunner();
  const query = runner.query.bind(runner) as (...given: unknown[]) => Promise<unknown>;
  runner.query = async (...given: unknown[]): Promise<never> => {
    if (given[0] !== 'COMMIT' || left-- > 0) return (await query(...given)) as never;
    runner.query = query as typeof runner.query;
    if (isStored) await query('COMMIT');
    throw new Error('the connection is gone');
  };
}

describe('a commit whose answer is lost', () => {
  let parts: JobParts;
  beforeEach(async () => {
    parts = await createJobParts();
  });
  afterEach(() => parts.close());

  const stateOf = async (id: string) => (await parts.source.getRepository(Job).findOneByOrFail({ id })).state;
  const connect = async () => {
    const worker = new FakeWorker(parts, 'w', cpuSlots(1));
    await worker.connect();
    await parts.scheduler.idle();
    return worker;
  };
  /** A worker beats while claims pass that nobody renews, which are taken back as the timer does. */
  const passLeases = async (worker: FakeWorker) => {
    for (let part = 0; part < 6; part += 1) {
      parts.clock.pass(parts.leases.leaseMs / 4);
      await worker.beat();
      for (const attemptId of parts.leases.expired()) await parts.attempts.expire(attemptId);
    }
    await parts.scheduler.idle();
  };

  it('leaves no device with an attempt that was rolled back', async () => {
    const worker = await connect();
    loseNextCommitAfter(parts.source, 1, false);
    const { id } = await parts.createJob();
    await parts.scheduler.idle();
    await parts.scheduler.idle();
    await expect.poll(() => worker.received.map(({ jobId }) => jobId)).toEqual([id]);
    expect(await parts.source.getRepository(Attempt).countBy({ jobId: id })).toBe(1);
    expect(parts.pool.allocationsOf(worker.workerId)).toHaveLength(1);
    await passLeases(worker);
    expect(parts.pool.allocationsOf(worker.workerId)).toHaveLength(1);
  });

  it('gives a job away again when nobody heard of the attempt that was stored', async () => {
    const worker = await connect();
    loseNextCommitAfter(parts.source, 1, true);
    const { id } = await parts.createJob();
    await parts.scheduler.idle();
    expect(worker.received).toEqual([]);
    expect(await stateOf(id)).toBe('assigned');
    expect(parts.pool.allocationsOf(worker.workerId)).toEqual([]);
    await passLeases(worker);
    await expect.poll(() => worker.received).toMatchObject([{ jobId: id, token: 2 }]);
  });

  it('frees the device of an attempt whose end was stored, though its worker was not told at first', async () => {
    const worker = await connect();
    const { id } = await parts.createJob();
    await parts.scheduler.idle();
    await expect.poll(() => worker.holding.size).toBe(1);
    const [held] = [...worker.holding.values()];
    if (held === undefined) throw new Error('an assignment expected');
    await worker.start(held);
    loseNextCommitAfter(parts.source, 0, true);
    await expect(worker.end(held, 0)).rejects.toThrow('the connection is gone');
    held.sequence -= 1;
    expect(await worker.end(held, 0)).toEqual({ acked: 2 });
    expect(await stateOf(id)).toBe('finished');
    await passLeases(worker);
    expect(parts.pool.allocationsOf(worker.workerId)).toEqual([]);
  });

  it('places a job whose backoff is over with the next pass when a commit is lost', async () => {
    const worker = await connect();
    const { id } = await parts.createJob();
    await parts.scheduler.idle();
    await expect.poll(() => worker.holding.size).toBe(1);
    const [held] = worker.holding.values();
    if (held === undefined) throw new Error('no attempt came');
    await worker.start(held);
    worker.die();
    await worker.connect();
    expect(await stateOf(id)).toBe('queued');
    parts.clock.pass(60_000);
    loseNextCommitAfter(parts.source, 0, false);
    parts.queue.endBackoffs();
    await parts.scheduler.idle();
    expect(await stateOf(id)).toBe('queued');
    await parts.scheduler.idle();
    await expect.poll(() => worker.received.length).toBe(2);
  });
});
