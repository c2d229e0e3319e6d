import { isAppError } from '@espalier/contracts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describePartsOnEach } from '../../../../../../test/support/each-database.js';
import { cpuSlots } from '../../../../../../test/support/simulated-worker.js';
import { ApiKey } from '../../database/entities/api-key.js';
import { RunRecord } from '../../database/entities/run-record.js';
import { Run } from '../../database/entities/run.js';
import { FakeWorker, type HeldAttempt } from '../../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../../testing/job-parts.js';
import { Attempt } from '../../database/entities/attempt.js';
import { Job } from '../../database/entities/job.js';

const log = (text: string) => ({ kind: 'log' as const, time: 1, text });
/** fewer where each takes longer: the rules are the same, the statements are not */
const allSigns = ['hello', 'heartbeat', 'event'] as const;

/** Gives `accepted` or the code of the refusal. */
async function outcome(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'accepted';
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

describePartsOnEach('a worker that comes back after its claim has passed', (open, kind) => {
  const signs = kind === 'sqlite' ? allSigns : (['heartbeat'] as const);
  let parts: JobParts;
  let worker: FakeWorker;
  beforeEach(async () => {
    parts = await createJobParts({
      ...(await open()),
      leaseSeconds: 3,
      heartbeatSeconds: 1,
      retrySeconds: 0,
    });
    worker = new FakeWorker(parts, 'w', cpuSlots(1));
  });
  afterEach(() => parts.close());

  const jobOf = ({ id }: Job): Promise<Job> => parts.source.getRepository(Job).findOneByOrFail({ id });
  const attemptsOf = ({ id }: Job): Promise<Attempt[]> =>
    parts.source.getRepository(Attempt).find({ where: { jobId: id }, order: { number: 'ASC' } });
  const recordsOf = ({ runId }: Job): Promise<RunRecord[]> =>
    parts.source.getRepository(RunRecord).find({ where: { runId }, order: { cursor: 'ASC' } });
  /** Waits until a worker has the newest attempt of a job. */
  const given = async (to: FakeWorker, job: Job): Promise<HeldAttempt> => {
    await parts.scheduler.idle();
    const find = () => [...to.holding.values()].find(({ assignment }) => assignment.jobId === job.id);
    await expect.poll(find).toBeDefined();
    return find() as HeldAttempt;
  };
  const passLease = async (): Promise<void> => {
    for (let part = 0; part < 4; part += 1) {
      parts.clock.pass(1000);
      for (const id of parts.leases.expired()) await parts.attempts.expire(id);
    }
    parts.queue.endBackoffs();
    await parts.scheduler.idle();
  };
  /** Begins a job at the worker and lets its claim pass while the worker says nothing. */
  const lapse = async (more: Partial<Job> = {}): Promise<{ job: Job; held: HeldAttempt }> => {
    if (!worker.isOnline) await worker.connect();
    const job = await parts.createJob({}, more);
    const held = await given(worker, job);
    await worker.start(held);
    await passLease();
    expect(await jobOf(job)).toMatchObject({ state: 'queued', token: 1, failures: 1 });
    return { job, held };
  };
  const comeBack = async (sign: (typeof allSigns)[number], held: HeldAttempt): Promise<string> => {
    if (sign === 'heartbeat') await worker.beat();
    if (sign === 'event') return outcome(worker.send(held, log('again')));
    if (sign === 'hello') {
      worker.disconnect();
      await worker.connect();
    }
    return worker.holding.has(held.assignment.attemptId) ? 'accepted' : 'worker.fenced';
  };

  it.each(signs)('goes on with its attempt while the job waits, from its first %s', async (sign) => {
    const { job, held } = await lapse();
    expect(await comeBack(sign, held)).toBe('accepted');
    expect(await jobOf(job)).toMatchObject({
      state: 'running',
      token: 1,
      failures: 0,
      notBefore: null,
      endedAt: null,
      message: 'w reconnected with it',
      attemptId: held.assignment.attemptId,
    });
    expect(await attemptsOf(job)).toMatchObject([{ state: 'running', endedAt: null, message: '' }]);
    expect(await parts.source.getRepository(Run).findOneByOrFail({ id: job.runId })).toMatchObject({
      state: 'running',
      endedAt: null,
    });
    // the job no longer waits: nobody else gets it, now or later
    await new FakeWorker(parts, 'other', cpuSlots(1)).connect();
    parts.clock.pass(1000);
    await worker.beat();
    await parts.queue.refresh();
    parts.queue.endBackoffs();
    await parts.scheduler.idle();
    expect([worker.received.length, parts.counters.values.assigned, parts.counters.values.returned]).toEqual([
      1, 1, 1,
    ]);
    await worker.end(held, 0);
    expect(await jobOf(job)).toMatchObject({ state: 'finished', token: 1 });
    expect([...parts.pool.allAllocations()]).toEqual([]);
    expect(parts.pool.runningOf('k')).toBe(0);
  });

  it('keeps an attempt that has ended until another one starts', async () => {
    await worker.connect();
    const job = await parts.createJob();
    const held = await given(worker, job);
    const { attemptId } = held.assignment;
    await parts.scheduler.stop();
    await worker.end(held, 75, null, 'pause');
    worker.holding.set(attemptId, held);
    await worker.beat();
    expect([...worker.holding.keys()]).toEqual([attemptId]);
    parts.scheduler.start();
    await expect.poll(() => worker.holding.size).toBe(2);
    await worker.beat();
    expect([...worker.holding.keys()]).toEqual([(await jobOf(job)).attemptId]);
  });

  it('has each of its events stored once, whatever it sends again', async () => {
    const { job, held } = await lapse();
    for (const text of ['one', 'two']) await worker.send(held, log(text));
    await passLease();
    expect((await jobOf(job)).state).toBe('queued');
    held.sequence -= 1;
    expect(await outcome(worker.send(held, log('two')))).toBe('accepted');
    for (const text of ['three', 'four']) await worker.send(held, log(text));
    const told = await recordsOf(job);
    const texts = told.flatMap(({ kind, body }) => (kind === 'log' ? [body['text']] : []));
    expect(texts).toEqual(['one', 'two', 'three', 'four']);
    expect(told.map(({ cursor }) => cursor)).toEqual(told.map((_, index) => index + 1));
    const states = told.flatMap(({ kind, body }) => (kind === 'state' ? [body['to']] : []));
    const returned = ['queued', 'assigned', 'running'];
    expect(states).toEqual([...returned, ...returned, ...returned]);
  });

  it.each(signs)('is told to stop at its first %s when another has the job', async (sign) => {
    const { job, held } = await lapse();
    const other = new FakeWorker(parts, 'other', cpuSlots(1));
    await other.connect();
    const successor = await given(other, job);
    expect(successor.assignment.token).toBe(2);
    expect(await comeBack(sign, held)).toBe('worker.fenced');
    expect(await jobOf(job)).toMatchObject({ token: 2, attemptId: successor.assignment.attemptId });
    await other.start(successor);
    expect(await outcome(worker.send(held, log('late')))).toBe('worker.fenced');
    await other.end(successor, 0);
    expect((await attemptsOf(job)).map(({ state }) => state)).toEqual(['lost', 'ended']);
    expect((await recordsOf(job)).filter(({ kind }) => kind === 'log')).toEqual([]);
  });

  it.each(signs)(
    'is told to stop at its first %s when another run uses the quota of the key',
    async (sign) => {
      await parts.source.getRepository(ApiKey).insert({
        id: 'key-1',
        name: 'limited',
        role: 'operator',
        projects: ['*'],
        prefix: 'p',
        hash: 'h',
        maxRunning: 1,
        lineage: 'key-1',
        createdAt: 0,
        lastUsedAt: null,
        revokedAt: null,
      });
      await parts.quotas.read();
      const { job, held } = await lapse({ createdBy: 'limited' });
      await parts.jobs.setPriority(job.id, -1);
      const other = new FakeWorker(parts, 'other', cpuSlots(1));
      const second = await parts.createJob({}, { createdBy: 'limited' });
      await other.connect();
      await given(other, second);
      expect(await comeBack(sign, held)).toBe('worker.fenced');
      expect(parts.pool.runningOf('limited')).toBe(1);
      expect((await jobOf(job)).state).toBe('queued');
    },
  );

  it('never shares it with another that takes the job in the same moment', async () => {
    let state = 11;
    const random = (): number => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
    const second = new FakeWorker(parts, 'second', cpuSlots(1));
    const seen = { first: 0, second: 0 };
    for (let race = 0; race < (kind === 'sqlite' ? 24 : 9); race += 1) {
      const { job, held } = await lapse();
      const sign = allSigns[Math.floor(race / 3) % 3] ?? 'event';
      // at once, in either order; or when the job was just placed and that is not stored yet
      const moves = [() => comeBack(sign, held), () => outcome(second.connect())];
      if (random() < 0.5) moves.reverse();
      if (race % 3 < 2) await Promise.all(moves.map((move) => move()));
      else {
        await second.connect();
        while (parts.pool.allocationsOf(second.workerId).length === 0)
          await new Promise((resolve) => setImmediate(resolve));
        expect(await comeBack(sign, held)).toBe('worker.fenced');
      }
      await parts.scheduler.idle();
      const { token, attemptId } = await jobOf(job);
      seen[token === 1 ? 'first' : 'second'] += 1;
      if (token === 2) await given(second, job);
      expect(second.holding.has(attemptId ?? '')).toBe(token === 2);
      expect(await outcome(worker.send(held, log('still here')))).toBe(
        token === 1 ? 'accepted' : 'worker.fenced',
      );
      const attempts = await attemptsOf(job);
      const held2 = attempts.filter(({ state: its }) => its === 'assigned' || its === 'running');
      expect(held2.map(({ number }) => number)).toEqual([token]);
      const owners = [...parts.pool.allAllocations()].filter(
        ({ attemptId: id, isOrphan }) => attempts.some((attempt) => attempt.id === id) && !isOrphan,
      );
      expect(owners.map(({ attemptId: id }) => id)).toEqual([attemptId]);
      expect(parts.pool.countConflicts()).toBe(0);
      await parts.jobs.cancel(job.id, { now: true });
      for (const one of [worker, second]) {
        one.die();
        await one.connect();
        one.disconnect();
      }
      expect([...parts.pool.allAllocations()]).toEqual([]);
    }
    expect([seen.first > 0, seen.second > 0]).toEqual([true, true]);
  }, 60_000);

  if (kind === 'postgres') return;

  it('learns from nobody but the worker itself, and only of the newest attempt', async () => {
    const { job, held } = await lapse();
    const other = new FakeWorker(parts, 'other', cpuSlots(1), ['no place for it']);
    await parts.source.getRepository(Job).update({ id: job.id }, { queue: 'of nobody' });
    other.holding.set(held.assignment.attemptId, { ...held });
    await other.connect();
    expect(other.holding.size).toBe(0);
    const wrong = { ...held, assignment: { ...held.assignment, token: 2 } };
    expect(await outcome(worker.send(wrong, log('of another token')))).toBe('worker.fenced');
    expect((await attemptsOf(job)).at(0)?.state).toBe('lost');
  });

  it.each(['hello', 'heartbeat'] as const)(
    'is told to stop at its first %s when its devices are another run’s',
    async (sign) => {
      const { job, held } = await lapse();
      worker.die();
      await parts.jobs.setPriority(job.id, -1);
      const second = await parts.createJob();
      await worker.connect();
      await given(worker, second);
      worker.holding.set(held.assignment.attemptId, held);
      expect(await comeBack(sign, held)).toBe('worker.fenced');
      expect(worker.holding.size).toBe(1);
      expect((await jobOf(job)).state).toBe('queued');
      expect((await jobOf(second)).token).toBe(1);
      expect(parts.pool.countConflicts()).toBe(0);
    },
  );

  it('is not believed by an event once its worker has said that it has nothing', async () => {
    const { job, held } = await lapse();
    worker.die();
    worker.devices = worker.devices.map((device) => ({ ...device, faults: ['XID 79'] }));
    await worker.connect();
    expect(await outcome(worker.send(held, log('of a process that nobody looks after')))).toBe(
      'worker.fenced',
    );
    expect((await jobOf(job)).state).toBe('queued');
  });

  it.each([
    ['paused', (id: string) => parts.jobs.pause(id), 'paused'],
    ['cancelled', (id: string) => parts.jobs.cancel(id, { now: false }), 'cancelled'],
    ['paused and resumed', (id: string) => parts.jobs.pause(id).then(() => parts.jobs.resume(id)), 'queued'],
    ['given other plugins', (id: string) => parts.jobs.resume(id, true), 'queued'],
  ] as const)('is told to stop when its job was %s meanwhile', async (_, steer, state) => {
    for (const sign of allSigns) {
      const { job, held } = await lapse();
      await steer(job.id);
      expect(await comeBack(sign, held)).toBe('worker.fenced');
      expect(await jobOf(job)).toMatchObject({ state, token: 1 });
      expect((await attemptsOf(job)).at(0)?.state).toBe('lost');
      // its device is free once it says that the process is gone
      worker.holding.clear();
      if (state === 'queued') await parts.jobs.cancel(job.id, { now: true });
      await worker.beat();
      expect([...parts.pool.allAllocations()]).toEqual([]);
    }
  });

  it('is told to stop when its run was deleted meanwhile', async () => {
    for (const sign of allSigns) {
      const { job, held } = await lapse();
      await parts.jobs.cancel(job.id, { now: true });
      await parts.source.getRepository(Attempt).delete({ jobId: job.id });
      await parts.source.getRepository(Job).delete({ id: job.id });
      await parts.source.getRepository(Run).delete({ id: job.runId });
      expect(await comeBack(sign, held)).toBe('worker.fenced');
      worker.holding.clear();
      await worker.beat();
    }
  });

  it('may bring back what has ended meanwhile, which needs no devices', async () => {
    const { job, held } = await lapse();
    worker.disconnect();
    worker.hasEnded = true;
    await worker.connect();
    expect(parts.pool.allocationsOf(worker.workerId)).toMatchObject([{ devices: [], isOrphan: false }]);
    await worker.end(held, 0);
    expect(await jobOf(job)).toMatchObject({ state: 'finished', token: 1 });
  });

  it('does not get its own job as a second attempt while it is silent, nor before it has said what it has', async () => {
    worker = new FakeWorker(parts, 'w', cpuSlots(3));
    const { job, held } = await lapse();
    expect(await parts.explanations.explain(job.id)).toMatch(/^The worker "w" would fit but is silent/);
    expect(await comeBack('hello', held)).toBe('accepted');
    await passLease();
    expect(await comeBack('heartbeat', held)).toBe('accepted');
    await parts.scheduler.idle();
    expect(worker.received).toHaveLength(1);
    const second = await parts.createJob();
    expect((await given(worker, second)).assignment.token).toBe(1);
    expect((await jobOf(job)).state).toBe('running');
  });

  it('keeps it when the server was started anew meanwhile, with its devices in use until then', async () => {
    const { job, held } = await lapse();
    worker.disconnect();
    // what only a server that has just started does not know
    for (const { attemptId } of [...parts.pool.allAllocations()]) parts.pool.release(attemptId);
    const second = await parts.createJob({}, { priority: 5 });
    await worker.connect();
    await parts.scheduler.idle();
    expect([...worker.holding.keys()]).toEqual([held.assignment.attemptId]);
    expect(await jobOf(job)).toMatchObject({ state: 'running', token: 1 });
    await worker.end(held, 0);
    await given(worker, second);
  });
});
