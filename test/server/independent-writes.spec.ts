import { type PostgresService, startPostgres } from '@espalier/testing';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { RunRecord } from '../../apps/server/src/core/database/entities/run-record.js';
import { TrajectoryEntity } from '../../apps/server/src/core/database/entities/trajectory.js';
import { FakeWorker } from '../../apps/server/src/testing/fake-worker.js';
import { createJobParts } from '../../apps/server/src/testing/job-parts.js';
import { call } from '../support/ask.js';
import { describeWith } from '../support/service.js';
import { cpuSlots } from '../support/simulated-worker.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent, trajectoryEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

/** Holds the row of a run locked, as somebody else's open transaction would. */
async function lockRun(url: string, runId: string): Promise<() => Promise<void>> {
  const other = await new DataSource({ type: 'postgres', url }).initialize();
  const runner = other.createQueryRunner();
  await runner.startTransaction();
  await runner.query('SELECT id FROM run WHERE id = $1 FOR UPDATE', [runId]);
  return async () => {
    await runner.commitTransaction();
    await runner.release();
    await other.destroy();
  };
}

describeWith(['postgres'], 'writes of different runs on PostgreSQL', () => {
  let postgres: PostgresService;
  let server: TestServer;
  beforeAll(async () => {
    postgres = await startPostgres();
    server = await startTestServer({ database: { kind: 'postgres', url: postgres.url, connections: 6 } });
  }, 60_000);
  afterAll(async () => {
    await server.close();
    await postgres.stop();
  });

  const createDatabase = async (name: string): Promise<string> => {
    await server.app.get(DataSource).query(`CREATE DATABASE ${name}`);
    return postgres.url.replace(/[^/]*$/, name);
  };
  const cursorsOf = async (runId: string): Promise<number[]> => {
    const order = { cursor: 'ASC' as const };
    const rows = await server.app.get(DataSource).getRepository(RunRecord).find({ where: { runId }, order });
    return rows.map(({ cursor }) => cursor);
  };
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

  it('do not wait for a run whose row another transaction holds', async () => {
    const held = await createWriter(server);
    const other = await createWriter(server);
    const unlock = await lockRun(postgres.url, held.runId);
    let stored = 0;
    const waiting = upTo(20).map((step) =>
      held.write([metricsEvent(step, { loss: step })]).then(() => (stored += 1)),
    );
    for (const step of upTo(50)) await other.write([metricsEvent(step, { loss: step })]);
    expect([stored, await cursorsOf(other.runId)]).toEqual([0, upTo(50)]);
    const { status } = await fetch(`${server.url}/api/v1/runs/${held.runId}`, {
      headers: { authorization: `Bearer ${server.adminKey}` },
    });
    expect(status).toBe(200);
    await unlock();
    await Promise.all(waiting);
    expect(await cursorsOf(held.runId)).toEqual(upTo(20));
  });

  it('give every record one cursor and every trajectory one number when they come at once', async () => {
    const writers = await Promise.all(upTo(12).map(() => createWriter(server)));
    const heard = new Map<string, number[]>();
    const log = server.app.get(RunLog);
    await Promise.all(
      writers.flatMap(({ runId, write }) =>
        upTo(10).flatMap((step) => [
          write([metricsEvent(step, { loss: 1 }), trajectoryEvent(step, 0), trajectoryEvent(step, 1)]),
          log.write({ runId }, async (manager) => {
            const record = { kind: 'note', attempt: 0, step: -1, time: 1, body: {} };
            const [{ cursor }] = (await log.append(manager, runId, [record])) as [RunRecord];
            log.afterCommit(manager, () => heard.set(runId, [...(heard.get(runId) ?? []), cursor]));
          }),
        ]),
      ),
    );
    for (const { runId } of writers) {
      expect(await cursorsOf(runId)).toEqual(upTo(40));
      const order = heard.get(runId) ?? [];
      expect(order).toEqual([...order].sort((a, b) => a - b));
    }
    const rows = await server.app.get(DataSource).getRepository(TrajectoryEntity).find();
    expect(new Set(rows.map(({ searchKey }) => searchKey)).size).toBe(12 * 20);
  });

  it('count for the limit of their key when they are created at once', async () => {
    const limited = await startTestServer({
      database: { kind: 'postgres', url: await createDatabase('limited') },
      limits: { queuedJobsPerKey: 3 },
    });
    const key = await limited.createKey({ name: 'busy', role: 'operator' });
    const source = 'environment: { use: bandit }\nalgorithm: { use: grpo }\nsteps: 3\n';
    const answers = await Promise.all(
      upTo(8).map(() => call(limited.url, key, 'POST', '/api/v1/runs', { source })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
    await limited.close();
  });

  it('leave other runs alone when the one whose row is held should be scheduled', async () => {
    const url = await createDatabase('scheduling');
    const parts = await createJobParts({ database: { kind: 'postgres', url } });
    const worker = new FakeWorker(parts, 'w', cpuSlots(2));
    const held = await parts.createJob({}, { createdBy: 'one' });
    const unlock = await lockRun(url, held.runId);
    await worker.connect();
    const free = await parts.createJob({}, { createdBy: 'two' });
    await expect.poll(() => worker.received.map(({ jobId }) => jobId)).toEqual([free.id]);
    await unlock();
    await expect.poll(() => worker.received.map(({ jobId }) => jobId)).toEqual([free.id, held.id]);
    const states = await parts.source.getRepository(Job).find({ select: { state: true } });
    expect(states.map(({ state }) => state)).toEqual(['assigned', 'assigned']);
    await parts.close();
  });
});
