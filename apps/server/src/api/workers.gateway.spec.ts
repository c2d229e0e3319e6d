import type { Assignment } from '@espalier/protocol';
import { DataSource } from 'typeorm';
import { waitFor } from '@espalier/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createJob } from '../../../../test/support/create-job.js';
import {
  cpuSlots,
  type SimulatedOptions,
  SimulatedWorker,
} from '../../../../test/support/simulated-worker.js';
import { startTestServer, type TestServer } from '../../../../test/support/start-server.js';
import { RunRecord } from '../core/database/entities/run-record.js';
import { Attempt } from '../core/database/entities/attempt.js';
import { Job } from '../core/database/entities/job.js';
import { EventIngest } from '../core/scheduling/attempts/event-ingest.service.js';
import { JobCounters } from '../core/scheduling/job-counters.js';
import { JobService } from '../core/scheduling/job.service.js';
import { Worker } from '../core/database/entities/worker.js';

const log = (text: string) => ({ kind: 'log' as const, time: 1, text });

describe('the namespace /workers', () => {
  let server: TestServer;
  let names = 0;
  const workers: SimulatedWorker[] = [];
  beforeAll(async () => {
    server = await startTestServer({
      leaseSeconds: 2,
      heartbeatSeconds: 0.5,
      returnSeconds: 1,
      assignSeconds: 1,
      retrySeconds: 0,
    });
  });
  afterEach(() => {
    for (const worker of workers.splice(0)) worker.close();
  });
  afterAll(async () => server.close());

  const make = (options: Partial<SimulatedOptions> = {}, key = server.workerKey): SimulatedWorker => {
    const worker = new SimulatedWorker(server.url, key, { name: `g${++names}`, ...options });
    workers.push(worker);
    return worker;
  };
  const counted = () => ({ ...server.app.get(JobCounters).values });
  const read = async ({ id }: Pick<Job, 'id'>): Promise<Job> =>
    server.app.get(DataSource).getRepository(Job).findOneByOrFail({ id });
  /** A worker with a job that only workers of its label can have. */
  const setUp = async (options: Partial<SimulatedOptions> = {}) => {
    const tag = `t${names}`;
    const worker = make({ labels: [tag], ...options });
    await worker.connect();
    const job = await createJob(server, { needs: { labels: [tag] } });
    return { worker, tag, job, assignment: await worker.assigned(1) };
  };

  it('admits only worker keys', async () => {
    for (const key of [server.adminKey, 'nonsense', ''])
      await expect(make({}, key).connect()).rejects.toMatchObject({
        data: { code: key === server.adminKey ? 'access.denied' : 'access.unauthenticated' },
      });
  });

  it('refuses a worker of another protocol version, and disconnects it', async () => {
    const worker = make({ protocol: 99 });
    await expect(worker.connect()).rejects.toMatchObject({
      code: 'worker.protocol_mismatch',
      message: expect.stringMatching(/protocol 99, this server 1/) as string,
    });
    await waitFor('it is disconnected', () => worker.socket.disconnected);
  });

  it('answers malformed messages with the fault, and continues', async () => {
    const worker = make();
    await worker.connect();
    const bodies = [
      null,
      7,
      'x',
      [],
      {},
      { devices: 'none', attempts: [] },
      { devices: [{ id: '' }], attempts: [] },
    ];
    for (const body of bodies)
      expect(await worker.ask('heartbeat', body)).toMatchObject({
        ok: false,
        code: 'worker.malformed_message',
      });
    const events = { attemptId: 'a', token: 1, stream: 'worker', events: [] };
    expect(await worker.ask('events', events)).toMatchObject({ ok: false, code: 'worker.malformed_message' });
    expect(await worker.beat()).toEqual({ fenced: [] });
  });

  it('refuses messages before hello, and of attempts that do not exist', async () => {
    const worker = make({ heartbeatMs: 0 });
    await new Promise<void>((resolve) => {
      worker.socket.once('connect', resolve);
      worker.socket.connect();
    });
    expect(await worker.ask('heartbeat', { devices: [], plugins: [], attempts: [] })).toMatchObject({
      code: 'worker.handshake_required',
    });
    await worker.ask('hello', worker.hello());
    expect(await worker.say({ attemptId: 'attempt-of-nobody', token: 1 }, log('x'))).toMatchObject({
      ok: false,
      code: 'worker.fenced',
    });
  });

  it('stores each event once and in order, however it arrives', async () => {
    const { worker, job, assignment } = await setUp();
    const { attemptId, token } = assignment;
    const send = (...numbers: number[]) =>
      worker.ask('events', {
        attemptId,
        token,
        stream: 'log',
        events: numbers.map((sequence) => ({ sequence, event: log(`line ${sequence}`) })),
      });
    expect(await send(1, 2)).toEqual({ ok: true, value: { acked: 2 } });
    expect(await send(1, 2)).toEqual({ ok: true, value: { acked: 2 } });
    expect(await send(5)).toMatchObject({ ok: false, code: 'event.gap' });
    expect(await Promise.all([send(2, 3), send(4), send(5, 6), send(4, 5)])).toEqual(
      [3, 4, 6, 6].map((acked) => ({ ok: true, value: { acked } })),
    );
    const records = await server.app
      .get(DataSource)
      .getRepository(RunRecord)
      .find({
        where: { runId: job.runId, kind: 'log' },
        order: { cursor: 'ASC' as const },
      });
    expect(records.map(({ body }) => body['text'])).toEqual([1, 2, 3, 4, 5, 6].map((n) => `line ${n}`));
  });

  it('gives the job of a silent worker to another, and refuses later messages of the first', async () => {
    const { worker: silent, tag, job, assignment } = await setUp();
    await silent.begin(assignment);
    silent.fallSilent();
    const successor = make({ labels: [tag], name: `successor-${tag}` });
    await successor.connect();
    const second = await successor.assigned(1);
    expect(second).toMatchObject({ jobId: job.id, token: 2 });
    await successor.begin(second);
    const before = counted();
    expect(await silent.end(assignment, 0)).toMatchObject({ ok: false, code: 'worker.fenced' });
    silent.holding.set(assignment.attemptId, { token: 1, state: 'running' });
    expect(await silent.beat()).toEqual({ fenced: [assignment.attemptId] });
    expect(counted().fenced).toBe(before.fenced + 2);
    expect(before.expired).toBeGreaterThan(0);
    expect(await read(job)).toMatchObject({ state: 'running', token: 2, failures: 1 });
    const attempts = await server.app
      .get(DataSource)
      .getRepository(Attempt)
      .find({
        where: { jobId: job.id },
        order: { number: 'ASC' as const },
      });
    expect(attempts.map(({ state }) => state)).toEqual(['lost', 'running']);
    expect(attempts[0]?.message).toBe('no heartbeat for 2 s');
    await successor.end(second);
    expect((await read(job)).state).toBe('finished');
  });

  it('lets a worker resume a lost attempt that was not reassigned, and stores its events once', async () => {
    const { worker, job, assignment } = await setUp({ devices: cpuSlots(2) });
    await worker.begin(assignment);
    await worker.say(assignment, log('before'));
    worker.fallSilent();
    await waitFor('its job waits again', async () => (await read(job)).state === 'queued');
    const before = counted();
    const { attemptId, token } = assignment;
    const events = ['before', 'meanwhile'].map((text, index) => ({ sequence: index + 2, event: log(text) }));
    expect(await worker.ask('events', { attemptId, token, stream: 'worker', events })).toEqual({
      ok: true,
      value: { acked: 3 },
    });
    expect(await read(job)).toMatchObject({ state: 'running', token: 1, attemptId });
    expect(await worker.beat()).toEqual({ fenced: [] });
    expect(counted().returned).toBe(before.returned + 1);
    const records = server.app.get(DataSource).getRepository(RunRecord);
    const told = await records.find({
      where: { runId: job.runId, kind: 'log' },
      order: { cursor: 'ASC' as const },
    });
    expect(told.map(({ body }) => body['text'])).toEqual(['before', 'meanwhile']);
    expect(worker.assignments).toHaveLength(1);
    const ended = { kind: 'process-ended', time: 1, code: 0, signal: null, message: '' };
    const last = { attemptId, token, stream: 'worker', events: [{ sequence: 4, event: ended }] };
    expect(await worker.ask('events', last)).toMatchObject({ ok: true });
    expect(await read(job)).toMatchObject({ state: 'finished', token: 1 });
  });

  it('reserves the devices of a lost attempt until its worker reports that the process ended', async () => {
    const { worker, tag, job, assignment } = await setUp();
    worker.fallSilent();
    await waitFor('its job waits again', async () => (await read(job)).state === 'queued');
    await server.app.get(JobService).pause(job.id);
    const next = await createJob(server, { needs: { labels: [tag] } });
    const held = {
      attempts: [{ attemptId: assignment.attemptId, token: 1 }],
      plugins: [],
      devices: cpuSlots(1),
    };
    expect(await worker.ask('heartbeat', held)).toMatchObject({ value: { fenced: [assignment.attemptId] } });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(worker.assignments).toHaveLength(1);
    expect(await worker.ask('heartbeat', { attempts: [], plugins: [], devices: cpuSlots(1) })).toMatchObject({
      ok: true,
    });
    expect(await worker.assigned(2)).toMatchObject({ jobId: next.id, token: 1 });
    await server.app.get(JobService).resume(job.id);
    await worker.begin(worker.assignments[1] as Assignment);
    await worker.end(worker.assignments[1] as Assignment);
    expect(await worker.assigned(3)).toMatchObject({ jobId: job.id, token: 2 });
  });

  it('requeues at once the jobs that a reconnected worker does not have', async () => {
    const { worker, tag, job, assignment } = await setUp();
    await worker.begin(assignment);
    worker.close();
    const again = make({ name: `g${names}`, labels: [tag], instance: 'new process' });
    const welcome = await again.connect();
    expect(welcome).toMatchObject({ resumed: [], fenced: [] });
    expect(await again.assigned(1)).toMatchObject({ jobId: job.id, token: 2 });
    const lost = await server.app
      .get(DataSource)
      .getRepository(Attempt)
      .findOneByOrFail({ id: assignment.attemptId });
    expect(lost).toMatchObject({ state: 'lost', message: 'the worker reconnected without it' });
  });

  it('requeues the job of a worker that does not answer, and fences it later', async () => {
    const tag = `late${names}`;
    const heard: Assignment[] = [];
    const late = make({
      labels: [tag],
      onAssign: (assignment) => (heard.push(assignment), new Promise(() => undefined)),
    });
    await late.connect();
    const job = await createJob(server, { needs: { labels: [tag] } });
    await waitFor('it is taken back', async () =>
      (await read(job)).message.endsWith('the worker did not accept the attempt in time'),
    );
    const other = make({ labels: [tag] });
    await other.connect();
    expect(await other.assigned(1)).toMatchObject({ jobId: job.id, token: 2 });
    expect(await late.begin(heard[0] as Assignment)).toMatchObject({ ok: false, code: 'worker.fenced' });
  });

  it('disconnects the older of two workers of one name, with the reason', async () => {
    const older = make({ name: 'twin', instance: 'one' });
    const newer = make({ name: 'twin', instance: 'two' });
    await older.connect();
    await newer.connect();
    await waitFor('the older is disconnected', () => older.socket.disconnected);
    expect(older.refusals).toMatchObject([{ code: 'worker.name_taken' }]);
    await expect(make({ name: 'twin', instance: 'one' }).connect()).rejects.toMatchObject({
      code: 'worker.name_taken',
    });
    expect(await newer.beat()).toEqual({ fenced: [] });
    newer.close();
    await waitFor('its row says so', async () => {
      const row = await server.app.get(DataSource).getRepository(Worker).findOneByOrFail({ name: 'twin' });
      return !row.online;
    });
    const back = make({ name: 'twin', instance: 'one' });
    expect((await back.connect()).workerId).toBe(newer.welcome?.workerId);
  });

  it('refuses a name that a connected worker with another key has', async () => {
    const holder = make({ name: 'owned' });
    await holder.connect();
    const otherKey = await server.createKey({ name: 'other workers', role: 'worker' });
    const thief = make({ name: 'owned', instance: 'another' }, otherKey);
    await expect(thief.connect()).rejects.toMatchObject({ code: 'worker.name_taken' });
    expect(await holder.beat()).toEqual({ fenced: [] });
    const other = make({ name: 'other' }, otherKey);
    await other.connect();
    const { assignment } = await setUp();
    expect(await other.say(assignment, log('not mine'))).toMatchObject({ ok: false, code: 'worker.fenced' });
  });

  it('refuses messages that arrive faster than they are stored, and accepts them again', async () => {
    const { worker, assignment } = await setUp();
    const { attemptId, token } = assignment;
    const events = [{ sequence: 1, event: log('again and again') }];
    const send = () => worker.ask<unknown>('events', { attemptId, token, stream: 'log', events });
    const ingest = server.app.get(EventIngest);
    const storeNow = ingest.ingest.bind(ingest);
    let refused = 0;
    // nothing is stored before the others are refused
    const store = vi.spyOn(ingest, 'ingest').mockImplementation(async (...message) => {
      await waitFor('the others are refused', () => refused === 36);
      return storeNow(...message);
    });
    const codes = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const answer = await send();
        if (!answer.ok) refused += 1;
        return answer.ok ? 'stored' : answer.code;
      }),
    );
    store.mockRestore();
    expect(codes.filter((code) => code === 'stored')).toHaveLength(4);
    expect(new Set(codes)).toEqual(new Set(['stored', 'worker.busy']));
    expect(await send()).toEqual({ ok: true, value: { acked: 1 } });
  });

  it('lets workers continue their jobs after a restart of the server', async () => {
    const { worker, tag, job, assignment } = await setUp();
    await worker.begin(assignment);
    const waiting = await createJob(server, { needs: { labels: [tag] } });
    const silent = await setUp();
    server = await server.restart();
    expect(await read(job)).toMatchObject({ state: 'running', token: 1 });
    const back = make({ name: worker.hello().name, labels: [tag] });
    back.holding.set(assignment.attemptId, { token: 1, state: 'running' });
    const welcome = await back.connect();
    expect(welcome.resumed).toEqual([
      { attemptId: assignment.attemptId, acked: { trainer: 0, log: 0, worker: 1 } },
    ]);
    const message = { kind: 'process-ended', time: 1, code: 0, signal: null, message: '' };
    const ended = { attemptId: assignment.attemptId, token: 1, stream: 'worker' };
    expect(await back.ask('events', { ...ended, events: [{ sequence: 2, event: message }] })).toMatchObject({
      ok: true,
    });
    expect(await read(job)).toMatchObject({ state: 'finished', token: 1 });
    expect((await back.assigned(1)).jobId).toBe(waiting.id);
    await waitFor('the other job waits again', async () => (await read(silent.job)).state === 'queued');
    expect((await read(silent.job)).message).toMatch(/no heartbeat for 2 s/);
  });
});
