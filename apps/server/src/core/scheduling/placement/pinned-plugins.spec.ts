import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PluginVersion } from '@espalier/protocol';
import { describePartsOnEach } from '../../../../../../test/support/each-database.js';
import { cpuSlots } from '../../../../../../test/support/simulated-worker.js';
import { Run } from '../../database/entities/run.js';
import { FakeWorker, type HeldAttempt } from '../../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../../testing/job-parts.js';
import { Job } from '../../database/entities/job.js';
import { selectPinned } from './pinned-plugins.js';

const coin = (version: string): PluginVersion => ({
  kind: 'environment',
  id: 'coin',
  version,
  sha256: `hash of ${version}`,
  isExternal: true,
});
const builtIn: PluginVersion = { kind: 'algorithm', id: 'grpo', version: '0.1.0', sha256: 'g' };

describe('the plugins that a job keeps', () => {
  const made = [{ ...coin('1.0.0'), isExternal: false }, builtIn];
  const box = (sha256: string) => ({
    kind: 'package' as const,
    id: 'box',
    version: '1',
    sha256,
    isExternal: true,
  });

  it('are those of its run that did not come with Espalier', () => {
    expect(selectPinned(made, [coin('2.0.0'), builtIn, box('b')])).toEqual([coin('2.0.0')]);
    expect(selectPinned([builtIn], [builtIn, box('b')])).toEqual([]);
  });

  it('are packages whose files the run was made with, or all when none is', () => {
    const packed = box(coin('1.0.0').sha256);
    expect(selectPinned(made, [builtIn, packed, { ...box('c'), id: 'other' }])).toEqual([packed]);
    expect(selectPinned(made, [builtIn, box('b')])).toEqual([box('b')]);
    expect(selectPinned(null, [builtIn, box('b')])).toEqual([box('b')]);
  });
});

const jobOf = async (parts: JobParts, { id }: Job): Promise<Job> =>
  parts.source.getRepository(Job).findOneByOrFail({ id });

async function heldBy(worker: FakeWorker, { id }: Job): Promise<HeldAttempt | undefined> {
  const find = () => [...worker.holding.values()].find(({ assignment }) => assignment.jobId === id);
  for (let turn = 0; turn < 100 && find() === undefined; turn += 1)
    await new Promise((resolve) => setTimeout(resolve, 5));
  return find();
}

const createWorker = (parts: JobParts, name: string, plugins: PluginVersion[] | undefined): FakeWorker =>
  Object.assign(new FakeWorker(parts, name, cpuSlots(1)), { plugins });

/** A job that began with version 1.0.0 on a worker that is gone. */
async function createOrphan(
  parts: JobParts,
  plugins: PluginVersion[] | undefined = [coin('1.0.0')],
  more: Partial<Job> = {},
) {
  const first = createWorker(parts, 'w1', plugins);
  await first.connect();
  const job = await parts.createJob({}, more);
  await parts.source.getRepository(Run).update(job.runId, { plugins: [coin('1.0.0')] as never });
  await parts.scheduler.idle();
  await first.start((await heldBy(first, job)) as HeldAttempt);
  first.die();
  await first.connect();
  first.disconnect(true);
  expect((await jobOf(parts, job)).state).toBe('queued');
  parts.clock.pass(10_000);
  parts.queue.endBackoffs();
  await parts.scheduler.idle();
  return { first, job };
}

describePartsOnEach('a job whose worker is gone', (open) => {
  let parts: JobParts;
  beforeEach(async () => {
    parts = await createJobParts({ ...(await open()), retrySeconds: 1 });
  });
  afterEach(() => parts.close());

  it('waits while others have other plugins, holds up nobody, and goes on where they are the same', async () => {
    const { job } = await createOrphan(parts);
    const second = createWorker(parts, 'w2', [coin('2.0.0')]);
    await second.connect();
    await parts.scheduler.idle();
    expect((await jobOf(parts, job)).state).toBe('queued');
    expect(await parts.explanations.explain(job.id)).toBe(
      `The worker "w2" has environment coin 2.0.0 (hash of 2.0.), the run started with 1.0.0 (hash of 1.0.): install the plugins that the run started with there, or let it resume with other plugins: \`espalier run resume ${job.runId} --accept-plugins\`.`,
    );
    const later = await parts.createJob();
    await parts.scheduler.idle();
    const passing = (await heldBy(second, later)) as HeldAttempt;
    expect(passing.assignment.plugins).toBeUndefined();
    await second.start(passing);
    await second.end(passing, 0);
    second.plugins = [coin('1.0.0')];
    await second.beat();
    await parts.scheduler.idle();
    const held = (await heldBy(second, job)) as HeldAttempt;
    expect(held.assignment.plugins).toEqual([coin('1.0.0')]);
    expect((await jobOf(parts, job)).token).toBe(2);
  });

  it('is an evaluation: it is cancelled and queued again, and then runs with others', async () => {
    const { job } = await createOrphan(parts, undefined, { kind: 'evaluate' });
    const second = createWorker(parts, 'w2', [coin('2.0.0')]);
    await second.connect();
    await parts.scheduler.idle();
    expect(await parts.explanations.explain(job.id)).toMatch(
      new RegExp(
        `, or cancel this evaluation \\(cancelEvaluation\\) and queue it again: \`espalier run evaluate ${job.runId}\`\\.$`,
      ),
    );
    const schema = readFileSync(new URL('../../../../schema.gql', import.meta.url), 'utf8');
    expect(schema).toMatch(/^ {2}cancelEvaluation\(/m);
    await parts.jobs.cancel(job.id, { now: true });
    const again = await parts.createJob({}, { kind: 'evaluate', runId: job.runId });
    await parts.scheduler.idle();
    const held = (await heldBy(second, again)) as HeldAttempt;
    expect(held.assignment.plugins).toBeUndefined();
  });

  it('goes on with others when a person accepts them, and keeps those from then on', async () => {
    const { first, job } = await createOrphan(parts);
    const second = createWorker(parts, 'w2', [coin('2.0.0')]);
    await second.connect();
    await parts.scheduler.idle();
    await expect(parts.jobs.resume(job.id)).rejects.toThrow(/while it is queued/);
    await parts.jobs.resume(job.id, true);
    await parts.scheduler.idle();
    const held = (await heldBy(second, job)) as HeldAttempt;
    expect(held.assignment.plugins).toBeUndefined();
    await second.start(held);
    second.disconnect(true);
    await first.connect();
    await parts.attempts.lose(held.assignment.attemptId, {
      reason: 'gone',
      isGone: true,
      isCounted: false,
    });
    await parts.scheduler.idle();
    expect(await parts.explanations.explain(job.id)).toMatch(/^The worker "w1" has environment coin 1\.0\.0/);
  });

  it('counts nothing against it when the files of a worker changed before it began there', async () => {
    const { job } = await createOrphan(parts);
    const second = createWorker(parts, 'w2', [coin('1.0.0')]);
    await second.connect();
    await parts.scheduler.idle();
    const held = (await heldBy(second, job)) as HeldAttempt;
    const before = await jobOf(parts, job);
    second.plugins = [coin('2.0.0')];
    await second.beat();
    second.holding.clear();
    const event = {
      kind: 'process-ended' as const,
      time: 1,
      code: 75,
      signal: null,
      message: 'has others',
    };
    await second.send(held, { ...event, lacksPlugins: true });
    await parts.scheduler.idle();
    const { state, message, failures } = await jobOf(parts, job);
    expect({ state, message, failures }).toEqual({
      state: 'queued',
      message: 'has others',
      failures: before.failures,
    });
    expect(await parts.explanations.explain(job.id)).toMatch(/^The worker "w2" has environment coin 2\.0\.0/);
  });

  it('goes on anywhere when all its plugins came with Espalier', async () => {
    const plain = await createOrphan(parts, [builtIn]);
    const bare = createWorker(parts, 'bare', []);
    await bare.connect();
    await parts.scheduler.idle();
    expect((await heldBy(bare, plain.job))?.assignment.plugins).toBeUndefined();
    expect((await jobOf(parts, plain.job)).queue).toMatch(/^cpu-1~/);
  });
});
