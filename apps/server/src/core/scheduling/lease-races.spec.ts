import { isAppError } from '@espalier/contracts';
import { expect, it } from 'vitest';
import { describePartsOnEach } from '../../../../../test/support/each-database.js';
import { cpuSlots } from '../../../../../test/support/simulated-worker.js';
import { RunRecord } from '../database/entities/run-record.js';
import { FakeWorker, type HeldAttempt } from '../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { Job } from '../database/entities/job.js';

/** fewer where each takes longer: the races are of the server with itself, whatever the database */
const races = { sqlite: 500, postgres: 20 } as const;
const log = { kind: 'log' as const, time: 1, text: 'still here' };

/** Numbers in [0, 1) that are the same every time. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => ((state = (state * 1_103_515_245 + 12_345) % 2 ** 31), state / 2 ** 31);
}

function shuffle<T>(list: T[], random: () => number): T[] {
  return list
    .map((item) => ({ item, rank: random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

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

/** The token that was in force at each record of a run, and the token of whoever wrote it. */
async function ownersOf(
  parts: JobParts,
  runId: string,
): Promise<{ inForce: number; writer: number; kind: string }[]> {
  const records = await parts.source
    .getRepository(RunRecord)
    .find({ where: { runId }, order: { cursor: 'ASC' } });
  let inForce = 0;
  return records.map(({ kind, attempt, body }) => {
    if (kind === 'state' && body['to'] === 'assigned') inForce = Number(body['attempt']);
    return { inForce, writer: attempt, kind };
  });
}

describePartsOnEach('a claim that passes while its worker speaks', (open, kind) => {
  it(`never leaves a job with two effective owners, in ${races[kind]} races`, async () => {
    const parts = await createJobParts({
      ...(await open()),
      leaseSeconds: 3,
      heartbeatSeconds: 1,
      retrySeconds: 0,
    });
    const random = createRandom(7);
    const seen = { fenced: 0, lostAfterWriting: 0, finishedByFirst: 0, finishedBySecond: 0, renewed: 0 };
    try {
      const [first, second] = ['first', 'second'].map((name) => new FakeWorker(parts, name, cpuSlots(1)));
      if (first === undefined || second === undefined) throw new Error('two workers expected');
      for (let race = 0; race < races[kind]; race += 1) {
        await first.connect();
        const job = await parts.createJob();
        await parts.scheduler.idle();
        await delivered([first], () => job.id);
        const held = first.holding.get(first.received.at(-1)?.attemptId ?? '') as HeldAttempt;
        expect(held.assignment.jobId).toBe(job.id);
        await first.start(held);
        // the run of the job is known from here on, so what is asked of it at once is queued at once
        await parts.jobs.setPriority(job.id, 0);
        await second.connect();
        parts.clock.pass(1000);
        parts.leases.expired();
        for (let third = 0; third < 2; third += 1) {
          parts.clock.pass(1000);
          parts.leases.expired();
        }
        parts.clock.pass(1);
        // Everything at once, in an order that differs each time: renewal, writes, the end, the expiry.
        const moves: (() => Promise<string>)[] = [
          () => outcome(first.send(held, log)),
          () => outcome(Promise.all(parts.leases.expired().map((id) => parts.attempts.expire(id)))),
          ...(random() < 0.3 ? [() => outcome(first.end(held, 0))] : []),
          ...(random() < 0.3 ? [() => outcome(first.beat())] : []),
          ...(random() < 0.2
            ? [() => outcome(parts.jobs.pause(job.id).then(() => parts.jobs.resume(job.id)))]
            : []),
        ];
        const order = shuffle(moves, random);
        const results = await Promise.all(order.map((move) => move()));
        const isFirst = results[order.indexOf(moves[0] as () => Promise<string>)] === 'accepted';
        await parts.scheduler.idle();
        seen.fenced += results.filter((result) => result === 'worker.fenced').length;
        const now = await parts.source.getRepository(Job).findOneByOrFail({ id: job.id });
        if (now.state === 'finished') seen.finishedByFirst += 1;
        else if (now.token > 1) {
          if (isFirst) seen.lostAfterWriting += 1;
          expect(await outcome(first.send(held, log))).toBe('worker.fenced');
          if (now.state === 'assigned') await delivered([first, second], () => now.attemptId ?? '');
          const owner = [first, second].find(({ holding }) => holding.has(now.attemptId ?? ''));
          const successor = owner?.holding.get(now.attemptId ?? '');
          if (owner !== undefined && successor !== undefined && now.state === 'assigned') {
            await owner.start(successor);
            expect(await outcome(first.end({ ...held, sequence: held.sequence }, 0))).toBe('worker.fenced');
            expect(await outcome(owner.end(successor, 0))).toBe('accepted');
            seen.finishedBySecond += 1;
          }
        } else seen.renewed += 1;
        for (const { inForce, writer } of await ownersOf(parts, job.runId))
          expect([0, inForce]).toContain(writer);
        await tidy(parts, [first, second], job);
      }
      expect(parts.pool.countConflicts()).toBe(0);
      // The races were real: each of these happened, in few at least the one that matters.
      const least = kind === 'sqlite' ? Object.entries(seen) : [['fenced', seen.fenced * 10] as const];
      for (const [what, count] of least) expect([what, count > 5]).toEqual([what, true]);
    } finally {
      await parts.close();
    }
  }, 120_000);
});

/** Waits until one of the workers has received a job or an attempt. */
async function delivered(workers: FakeWorker[], id: () => string): Promise<void> {
  const isDelivered = (): boolean =>
    workers.some(({ received }) =>
      received.some(({ jobId, attemptId }) => jobId === id() || attemptId === id()),
    );
  for (let turn = 0; turn < 3000 && !isDelivered(); turn += 1)
    await new Promise<void>((resolve) => void (turn < 50 ? setImmediate(resolve) : setTimeout(resolve, 2)));
}

/** Ends what is left of a race, so that the next begins with everything free. */
async function tidy(parts: JobParts, workers: FakeWorker[], { id }: Job): Promise<void> {
  await parts.jobs.cancel(id, { now: true }).catch(() => undefined);
  for (const worker of workers) {
    worker.die();
    await worker.connect();
    worker.disconnect();
  }
  await parts.scheduler.idle();
  expect([...parts.pool.allAllocations()]).toEqual([]);
}
