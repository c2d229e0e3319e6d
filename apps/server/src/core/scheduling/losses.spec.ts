import { afterEach, beforeEach, expect, it } from 'vitest';
import { describePartsOnEach } from '../../../../../test/support/each-database.js';
import { cpuSlots } from '../../../../../test/support/simulated-worker.js';
import { Alert } from '../database/entities/alert.js';
import { FakeWorker, type HeldAttempt } from '../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { Job } from '../database/entities/job.js';

describePartsOnEach('a job whose worker vanishes', (open) => {
  let parts: JobParts;
  let worker: FakeWorker;
  beforeEach(async () => {
    parts = await createJobParts({ ...(await open()), retrySeconds: 5, maxFailures: 3 });
    worker = new FakeWorker(parts, 'w', cpuSlots(1));
    await worker.connect();
  });
  afterEach(async () => parts.close());

  const read = async ({ id }: Job): Promise<Job> => parts.source.getRepository(Job).findOneByOrFail({ id });
  /** Ends backoffs and waits until the worker has an attempt; nothing more is placed until the next call. */
  const begin = async (): Promise<HeldAttempt> => {
    parts.clock.pass(60_000);
    parts.queue.endBackoffs();
    parts.scheduler.start();
    await parts.scheduler.idle();
    for (let turn = 0; turn < 3000 && worker.holding.size === 0; turn += 1)
      await new Promise<void>((resolve) => void (turn < 50 ? setImmediate(resolve) : setTimeout(resolve, 2)));
    const [held] = worker.holding.values();
    if (held === undefined) throw new Error('no attempt came');
    await parts.scheduler.stop();
    await worker.start(held);
    return held;
  };
  const crashWorker = async (): Promise<void> => {
    worker.die();
    await worker.connect();
  };

  it('backs off after each loss, and fails with an alert after too many', async () => {
    const job = await parts.createJob();
    await begin();
    await crashWorker();
    expect(await read(job)).toMatchObject({ state: 'queued', failures: 1 });
    expect((await read(job)).notBefore).toBe(parts.clock.now() + 5000);
    await parts.scheduler.idle();
    expect(worker.received).toHaveLength(1);
    await begin();
    await crashWorker();
    expect(await read(job)).toMatchObject({ state: 'queued', failures: 2 });
    await begin();
    await crashWorker();
    const kept = await read(job);
    expect(kept).toMatchObject({ state: 'failed', failures: 3, workerId: null });
    expect(kept.message).toMatch(/^failure 3 of 3: its worker vanished: .*\nattempt 3 on w \(lost\)/);
    const [alert] = await parts.source.getRepository(Alert).find();
    expect(alert?.message).toMatch(/^the run failed: failure 3 of 3: its worker vanished/);
    await parts.jobs.resume(job.id);
    expect(await read(job)).toMatchObject({ state: 'queued', failures: 0 });
  });

  it('goes on at once, nothing counted, when the attempt got further than those before', async () => {
    const job = await parts.createJob();
    await begin();
    await crashWorker();
    await worker.train(await begin(), 0);
    await crashWorker();
    expect(await read(job)).toMatchObject({ state: 'queued', failures: 0, notBefore: null });
    await worker.train(await begin(), 0);
    await crashWorker();
    expect(await read(job)).toMatchObject({ failures: 1 });
  });

  it('is counted no loss when the worker said goodbye', async () => {
    const job = await parts.createJob();
    for (let count = 0; count < 4; count += 1) {
      await begin();
      worker.disconnect(true);
      worker.die();
      await worker.connect();
      expect(await read(job)).toMatchObject({ state: 'queued', failures: 0, notBefore: null });
    }
  });

  it('rests after a stop that nobody asked for, but not when its worker was closing', async () => {
    const job = await parts.createJob();
    await worker.end(await begin(), 75, null, 'pause');
    expect(await read(job)).toMatchObject({ state: 'queued', failures: 0, notBefore: null });
    await worker.end(await begin(), 75);
    expect(await read(job)).toMatchObject({ state: 'queued', failures: 1 });
    expect((await read(job)).notBefore).toBe(parts.clock.now() + 5000);
    await worker.end(await begin(), 75);
    await worker.end(await begin(), 75);
    expect(await read(job)).toMatchObject({ state: 'failed', failures: 3 });
  });
});
