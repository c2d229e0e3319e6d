import { type FollowAnswer, type StreamBatch } from '@espalier/protocol';
import { setTimeout } from 'node:timers/promises';
import { io, type Socket } from 'socket.io-client';
import { waitFor } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DataSource } from 'typeorm';
import { RunLog } from '../../apps/server/src/core/database/run-log.js';
import { startTestServer, type TestServer } from '../support/start-server.js';
import { metricsEvent } from '../support/events.js';
import { createWriter } from '../support/write-events.js';

describe('following a run over socket.io', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer({ stream: { flushMs: 20, maxFollowsPerSocket: 2 } });
  });
  afterAll(async () => server.close());

  const connect = (key = server.adminKey): Socket =>
    io(`${server.url}/stream`, {
      auth: { key },
      transports: ['websocket'],
      forceNew: true,
      reconnection: false,
    });
  const follow = async (socket: Socket, message: object): Promise<FollowAnswer> =>
    (await socket.timeout(5000).emitWithAck('follow', message)) as FollowAnswer;

  /** Collects batches and checks that they follow on each other. */
  const collect = (socket: Socket, after = 0) => {
    const steps: number[] = [];
    const state = { last: after, steps };
    socket.on('batch', (batch: StreamBatch) => {
      expect(batch.after).toBe(state.last);
      state.last = batch.cursor;
      steps.push(...batch.metrics.steps);
    });
    return state;
  };

  it('gives history in pages, then what is new, without gap or overlap', async () => {
    const writer = await createWriter(server);
    for (let first = 0; first < 495; first += 99)
      await writer.write(Array.from({ length: 99 }, (_, i) => metricsEvent(first + i, { a: i })));
    const socket = connect();
    const seen = collect(socket);
    expect(await follow(socket, { runId: writer.runId })).toEqual({ ok: true, head: 495, state: 'running' });
    for (let step = 495; step < 700; step += 5) {
      await writer.write([0, 1, 2, 3, 4].map((i) => metricsEvent(step + i, { a: step })));
      await setTimeout(1);
    }
    await waitFor('all 700 have come', () => seen.last === 700);
    expect(seen.steps).toEqual(Array.from({ length: 700 }, (_, step) => step));
    socket.disconnect();
  });

  it('survives reconnects at any moment with every row exactly once', async () => {
    const writer = await createWriter(server);
    let isWriting = true;
    const writing = (async () => {
      for (let step = 0; step < 400; step += 1) {
        await writer.write([metricsEvent(step, { a: step })]);
        await setTimeout(1);
      }
      isWriting = false;
    })();
    const storm = async (): Promise<void> => {
      const steps: number[] = [];
      let last = 0;
      while (isWriting || last < 400) {
        const socket = connect();
        const seen = collect(socket, last);
        await follow(socket, { runId: writer.runId, after: last });
        await setTimeout(Math.random() * 60);
        socket.removeAllListeners('batch');
        socket.disconnect();
        last = seen.last;
        steps.push(...seen.steps);
      }
      expect(steps).toEqual(Array.from({ length: 400 }, (_, step) => step));
    };
    await Promise.all([writing, storm(), storm(), storm(), storm()]);
  });

  it('reads from the database what was told out of order', async () => {
    const writer = await createWriter(server);
    const socket = connect();
    const seen = collect(socket);
    await follow(socket, { runId: writer.runId });
    const log = server.app.get(RunLog, { strict: false });
    const record = (step: number) => ({
      kind: 'metrics',
      attempt: 1,
      step,
      time: 1,
      body: { values: { a: 1 } },
    });
    const parts = [];
    for (const step of [0, 1, 2])
      parts.push(
        await log.write({ runId: writer.runId }, (manager) =>
          log.append(manager, writer.runId, [record(step)]),
        ),
      );
    for (const part of parts.reverse()) log.publish(part);
    await waitFor('all three have come', () => seen.last === 3);
    expect(seen.steps).toEqual([0, 1, 2]);
    socket.disconnect();
  });

  it('sends only the metrics asked for', async () => {
    const writer = await createWriter(server);
    await writer.write([
      metricsEvent(0, { a: 1, b: 2 }),
      metricsEvent(1, { b: 3 }),
      { kind: 'log', time: 1, text: 'x' },
    ]);
    const socket = connect();
    const batches: StreamBatch[] = [];
    socket.on('batch', (batch: StreamBatch) => batches.push(batch));
    await follow(socket, { runId: writer.runId, metrics: ['a'] });
    await waitFor('a batch has come', () => batches.length === 1);
    await writer.write([metricsEvent(2, { a: 4, b: 5 })]);
    await waitFor('another has come', () => batches.length === 2);
    expect(batches.map(({ metrics }) => metrics.values)).toEqual([{ a: [1] }, { a: [4] }]);
    expect(batches[0]).toMatchObject({
      after: 0,
      cursor: 3,
      records: [{ cursor: 3, kind: 'log', body: { text: 'x' } }],
    });
    socket.disconnect();
  });

  it('answers a run of another project like one that does not exist', async () => {
    const writer = await createWriter(server, 'secret');
    const socket = connect(await server.createKey({ name: 'v', role: 'viewer', projects: ['open'] }));
    const answers = await Promise.all([writer.runId, 'run-none'].map((runId) => follow(socket, { runId })));
    const told = answers.map((answer) => (answer.ok ? 'ok' : answer.message.replace(/"run-[^"]*"/, '?')));
    expect(answers).toMatchObject([
      { ok: false, code: 'server.not_found' },
      { ok: false, code: 'server.not_found' },
    ]);
    expect(told[0]).toBe(told[1]);
    socket.disconnect();
  });

  it('refuses what is malformed and too many runs', async () => {
    const socket = connect();
    expect(await follow(socket, { after: 'x' })).toMatchObject({
      ok: false,
      code: 'server.invalid_input',
    });
    const writers = await Promise.all([1, 2, 3].map(() => createWriter(server)));
    const answers = [];
    for (const { runId } of writers) answers.push(await follow(socket, { runId }));
    expect(answers.map(({ ok }) => ok)).toEqual([true, true, false]);
    expect(await socket.emitWithAck('unfollow', { runId: writers[0]?.runId })).toEqual({ ok: true });
    expect(await follow(socket, { runId: writers[2]?.runId })).toMatchObject({ ok: true });
    socket.disconnect();
  });

  it('tells a follower that does not read of the gap once it reads again', async () => {
    const small = await startTestServer({ stream: { flushMs: 20 } });
    const writer = await createWriter(small);
    const socket = io(`${small.url}/stream`, {
      auth: { key: small.adminKey },
      transports: ['websocket'],
      forceNew: true,
    });
    const steps: number[] = [];
    let last = 0;
    let gaps = 0;
    socket.on('batch', (batch: StreamBatch) => {
      if (batch.after !== last) throw new Error('batches do not follow on each other');
      last = batch.cursor;
      steps.push(...batch.metrics.steps);
    });
    socket.on('gap', () => {
      gaps += 1;
      void follow(socket, { runId: writer.runId, after: last });
    });
    await follow(socket, { runId: writer.runId });
    const wire = (
      socket.io.engine.transport as unknown as { ws: { _socket: { pause(): void; resume(): void } } }
    ).ws._socket;
    wire.pause();
    const text = 'x'.repeat(20_000);
    for (let part = 0; part < 30; part += 1) {
      const lines = Array.from({ length: 50 }, () => ({ kind: 'log' as const, time: 1, text }));
      await writer.write([metricsEvent(part, { a: part }), ...lines]);
      await setTimeout(25);
    }
    await setTimeout(100);
    wire.resume();
    await waitFor('all have come', () => last === 30 * 51);
    expect(gaps).toBeGreaterThan(0);
    expect(steps).toEqual(Array.from({ length: 30 }, (_, step) => step));
    socket.disconnect();
    await small.close();
    expect(server.app.get(DataSource).isInitialized).toBe(true);
  });
});
