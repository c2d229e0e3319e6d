import { DataSource } from 'typeorm';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { createJob } from '../../../../../test/support/create-job.js';
import { describeOnEach } from '../../../../../test/support/each-database.js';
import { SimulatedWorker } from '../../../../../test/support/simulated-worker.js';
import type { TestServer } from '../../../../../test/support/start-server.js';
import { Alert } from '../database/entities/alert.js';
import { SchedulerService } from './scheduler.service.js';
import { RunRecord } from '../database/entities/run-record.js';
import { Run } from '../database/entities/run.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { JobService } from './job.service.js';

const settings = { retrySeconds: 0.02, maxFailures: 3 };

const define = (running: () => TestServer): void => {
  let server: TestServer;
  let jobs: JobService;
  let names = 0;
  const workers: SimulatedWorker[] = [];
  beforeAll(() => {
    server = running();
    jobs = server.app.get(JobService);
  });
  afterEach(() => {
    for (const worker of workers.splice(0)) worker.close();
  });

  /** A worker of its own, and a job that only it can have. */
  const setUp = async (): Promise<{ worker: SimulatedWorker; job: Job }> => {
    const name = `s${++names}`;
    const worker = new SimulatedWorker(server.url, server.workerKey, { name, labels: [name] });
    workers.push(worker);
    await worker.connect();
    return { worker, job: await createJob(server, { needs: { labels: [name] } }) };
  };
  const read = async ({ id }: Job): Promise<Job> =>
    server.app.get(DataSource).getRepository(Job).findOneByOrFail({ id });
  const states = async ({ runId }: Job): Promise<string[]> => {
    const records = await server.app
      .get(DataSource)
      .getRepository(RunRecord)
      .find({
        where: { runId, kind: 'state' },
        order: { cursor: 'ASC' as const },
      });
    return records.map(({ body }) => String(body['to']));
  };

  it('is paused by its worker and goes on when resumed; its run stands where it stands', async () => {
    const { worker, job } = await setUp();
    const assignment = await worker.assigned(1);
    await worker.begin(assignment);
    expect((await jobs.pause(job.id)).state).toBe('pausing');
    await waitFor(() => worker.controls.length > 0);
    expect(worker.controls[0]).toEqual({ attemptId: assignment.attemptId, token: 1, action: 'pause' });
    await worker.end(assignment, 75, null, 'saved and stopped');
    const runs = server.app.get(DataSource).getRepository(Run);
    expect(await runs.findOneByOrFail({ id: job.runId })).toMatchObject({ state: 'paused' });
    await jobs.resume(job.id);
    await worker.begin(await worker.assigned(2));
    expect(await states(job)).toEqual(
      'queued assigned running pausing paused queued assigned running'.split(' '),
    );
    const run = await runs.findOneByOrFail({ id: job.runId });
    expect(run).toMatchObject({ state: 'running', endedAt: null });
    expect(run.startedAt).not.toBeNull();
  });

  it('is told again and again until it has stopped, also on a new connection', async () => {
    const { worker, job } = await setUp();
    const assignment = await worker.assigned(1);
    await worker.begin(assignment);
    await jobs.cancel(job.id, { now: false });
    await waitFor(() => worker.controls.length >= 2);
    const again = new SimulatedWorker(server.url, server.workerKey, {
      name: `s${names}`,
      labels: [`s${names}`],
    });
    workers.push(again);
    again.holding.set(assignment.attemptId, { token: 1, state: 'running' });
    const welcome = await again.connect();
    expect(welcome.resumed.map(({ attemptId, acked }) => [attemptId, acked])).toEqual([
      [assignment.attemptId, { trainer: 0, log: 0, worker: 1 }],
    ]);
    await waitFor(() => again.controls.length > 0);
    await jobs.cancel(job.id, { now: true });
    await waitFor(() => again.controls.at(-1)?.action === 'kill');
    const ended = { kind: 'process-ended', time: 1, code: null, signal: 'SIGKILL', message: 'killed' };
    const events = [{ sequence: 2, event: ended }];
    await again.ask('events', { attemptId: assignment.attemptId, token: 1, stream: 'worker', events });
    expect(await read(job)).toMatchObject({ state: 'cancelled', failures: 0, control: null });
  });

  it('is paused and cancelled at once while it waits', async () => {
    const waiting = await createJob(server, { needs: { labels: ['nobody'] } });
    expect((await jobs.pause(waiting.id)).state).toBe('paused');
    expect((await jobs.resume(waiting.id)).state).toBe('queued');
    expect((await jobs.cancel(waiting.id, { now: false })).state).toBe('cancelled');
    await expect(jobs.pause(waiting.id)).rejects.toMatchObject({
      code: 'run.wrong_state',
      details: { state: 'cancelled' },
    });
  });

  it('is tried again after a failure, and failed after too many failures in a row', async () => {
    const { worker, job } = await setUp();
    const first = await worker.assigned(1);
    const scheduler = server.app.get(SchedulerService);
    await scheduler.stop();
    await worker.end(first, 5, null, 'the loss became NaN');
    expect(await read(job)).toMatchObject({
      state: 'queued',
      failures: 1,
      message: expect.stringMatching(/failure 1 of 3: the loss/) as string,
    });
    scheduler.start();
    for (const count of [2, 3])
      await worker.end(await worker.assigned(count), 5, null, 'the loss became NaN');
    expect(await read(job)).toMatchObject({
      state: 'failed',
      failures: 3,
      endedAt: expect.any(Number) as never,
    });
    const alerts = await server.app.get(DataSource).getRepository(Alert).findBy({ runId: job.runId });
    const message = 'the run failed: failure 3 of 3: the loss became NaN';
    expect(alerts).toMatchObject([{ code: 'job.failed', severity: 'error', message }]);
  });

  it('is never tried again when its input was refused', async () => {
    const { worker, job } = await setUp();
    await worker.end(await worker.assigned(1), 2, null, 'unknown key "clipRation"');
    expect(await read(job)).toMatchObject({ state: 'failed', message: 'unknown key "clipRation"' });
  });

  it('fails with the evidence after it killed its process three times; a person can resume it', async () => {
    const { worker, job } = await setUp();
    for (let count = 1; count <= 3; count += 1)
      await worker.end(await worker.assigned(count), null, 'SIGKILL', `out of memory, take ${count}`);
    const after = await read(job);
    expect(after).toMatchObject({ state: 'failed', failures: 3, token: 3 });
    for (const take of [1, 2, 3]) expect(after.message).toContain(`out of memory, take ${take}`);
    const alerts = await server.app.get(DataSource).getRepository(Alert).findBy({ runId: job.runId });
    expect(alerts).toMatchObject([{ code: 'job.failed', severity: 'error' }]);
    await jobs.resume(job.id);
    expect(await read(job)).toMatchObject({ failures: 0 });
    await worker.end(await worker.assigned(4));
    expect(await read(job)).toMatchObject({ state: 'finished', token: 4 });
    const attempts = await server.app.get(DataSource).getRepository(Attempt).findBy({ jobId: job.id });
    expect(attempts.map(({ verdict }) => verdict).sort()).toEqual([
      'crashed',
      'crashed',
      'crashed',
      'finished',
    ]);
  });

  it('has its evaluations cancelled one by one, over GraphQL and REST, while it goes on waiting', async () => {
    const job = await createJob(server, { needs: { labels: ['nobody'] } });
    const evaluation = { ...job, kind: 'evaluate' as const };
    for (const id of [`${job.id}-a`, `${job.id}-b`]) await jobs.create({ ...evaluation, id });
    const mutation = `mutation ($run: ID!, $job: ID!) {
      cancelEvaluation(input: { runId: $run, jobId: $job }) { __typename ... on Job { state } ... on WrongState { code } } }`;
    const cancel = (id: string) => graphql(server, mutation, { run: job.runId, job: id });
    const states = async () => {
      const all = server.app.get(DataSource).getRepository(Job);
      const found = await all.find({ where: { runId: job.runId }, order: { id: 'ASC' } });
      return found.map(({ state }) => state);
    };
    expect(await cancel(`${job.id}-a`)).toEqual({
      cancelEvaluation: { __typename: 'Job', state: 'CANCELLED' },
    });
    expect(await states()).toEqual(['queued', 'cancelled', 'queued']);
    // the training is none of its evaluations
    expect(await cancel(job.id)).toEqual({ cancelEvaluation: { __typename: 'NotFound' } });
    const path = `${server.url}/api/v1/runs/${job.runId}/evaluations/${job.id}-b/cancel`;
    const headers = { authorization: `Bearer ${server.adminKey}` };
    expect((await fetch(path, { method: 'POST', headers })).status).toBe(200);
    expect(await states()).toEqual(['queued', 'cancelled', 'cancelled']);
    await jobs.cancel(job.id, { now: true });
  });

  it('says what it is doing over GraphQL and REST, and refuses with a type of its own', async () => {
    const { worker, job } = await setUp();
    await worker.begin(await worker.assigned(1));
    const query = `query ($id: ID!) {
      job(id: $id) { state whyWaiting attempts { nodes { number state workerName } } }
    }`;
    expect(await graphql(server, query, { id: job.id })).toEqual({
      job: {
        state: 'RUNNING',
        whyWaiting: null,
        attempts: { nodes: [{ number: 1, state: 'RUNNING', workerName: `s${names}` }] },
      },
    });
    const mutation = `mutation ($id: ID!) { resumeRun(input: { runId: $id }) { __typename ... on WrongState { code state } } }`;
    expect(await graphql(server, mutation, { id: job.runId })).toEqual({
      resumeRun: { __typename: 'WrongState', code: 'run.wrong_state', state: 'RUNNING' },
    });
    const waiting = await createJob(server, { needs: { labels: ['nobody'] }, project: 'other' });
    const headers = { authorization: `Bearer ${server.adminKey}` };
    const told = await fetch(`${server.url}/api/v1/jobs?state=queued&first=1`, { headers });
    expect(await told.json()).toMatchObject({
      items: [{ id: waiting.id }],
      pageInfo: { hasNextPage: false },
    });
    const one = await fetch(`${server.url}/api/v1/jobs/${waiting.id}`, { headers });
    expect(await one.json()).toMatchObject({ whyWaiting: 'No connected worker has the label "nobody".' });
    const bad = await fetch(`${server.url}/api/v1/jobs?state=lost`, { headers });
    expect([bad.status, await bad.json()]).toMatchObject([400, { code: 'server.invalid_input' }]);
    const stranger = await server.createKey({ name: 'x', role: 'operator', projects: ['default'] });
    const hidden = await fetch(`${server.url}/api/v1/jobs/${waiting.id}`, {
      headers: { authorization: `Bearer ${stranger}` },
    });
    expect(hidden.status).toBe(404);
  });
};

describeOnEach('a job that is steered', define, settings);

async function graphql(server: TestServer, query: string, variables: object): Promise<unknown> {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as { data: unknown; errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
  return data;
}

async function waitFor(isSo: () => boolean, withinMs = 8000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`waited ${withinMs} ms in vain for ${String(isSo)}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
