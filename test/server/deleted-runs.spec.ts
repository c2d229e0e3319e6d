/** @file Runs that are deleted while somebody follows them: whoever is behind, up to date, or comes too late. */
import { createClient } from '@espalier/client';
import { waitFor } from '@espalier/testing';
import { io, type Socket } from 'socket.io-client';
import { DataSource } from 'typeorm';
import { expect, it, vi } from 'vitest';
import { iterateRun } from '../../apps/server/src/api/stream/cursor-iterator.js';
import { RunChannels } from '../../apps/server/src/api/stream/run-channels.js';
import { Job } from '../../apps/server/src/core/database/entities/job.js';
import { Run } from '../../apps/server/src/core/database/entities/run.js';
import { RunRecord } from '../../apps/server/src/core/database/entities/run-record.js';
import { RunReader } from '../../apps/server/src/core/history/records/run-reader.js';
import { call } from '../support/ask.js';
import { describeOnEach } from '../support/each-database.js';
import { metricsEvent } from '../support/events.js';
import { createWriter, type EventWriter } from '../support/write-events.js';

describeOnEach(
  'a run that is deleted',
  (server) => {
    const partOf = <T>(type: abstract new (...given: never[]) => T): T =>
      server().app.get<T>(type as never, { strict: false });
    const write = async ({ write }: EventWriter, rows: number): Promise<void> => {
      for (let first = 0; first < rows; first += 100)
        await write(Array.from({ length: 100 }, (_, index) => metricsEvent(first + index, { a: index })));
    };
    const remove = async (runId: string): Promise<void> => {
      const database = partOf(DataSource);
      await database.getRepository(Job).update({ runId }, { state: 'finished' });
      await database.getRepository(Run).update({ id: runId }, { state: 'finished' });
      const { status } = await call(server().url, server().adminKey, 'DELETE', `/api/v1/runs/${runId}`);
      expect(status).toBe(200);
    };
    /** As a deletion leaves the database before it tells of it. */
    const removeRows = async (runId: string): Promise<void> => {
      await partOf(DataSource).getRepository(RunRecord).delete({ runId });
      await partOf(DataSource).getRepository(Run).delete({ id: runId });
    };
    const connect = (): Socket =>
      io(`${server().url}/stream`, {
        auth: { key: server().adminKey },
        transports: ['websocket'],
        forceNew: true,
      });
    const follow = (socket: Socket, runId: string): Promise<unknown> =>
      socket.timeout(5000).emitWithAck('follow', { runId });
    const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
      work.then(
        () => 'done',
        (error: unknown) => (error as { details?: { code?: string } }).details?.code ?? String(error),
      );
    /** Makes a reader that reads without end fail: nothing else of this process would have a turn. */
    const limitReads = (most: number, before?: (count: number) => Promise<void>) => {
      const reader = partOf(RunReader);
      const page = reader.page.bind(reader);
      let reads = 0;
      return vi.spyOn(reader, 'page').mockImplementation(async (...given) => {
        if ((reads += 1) > most) throw new Error(`read ${reads} pages of a run that was deleted`);
        await before?.(reads);
        return page(...given);
      });
    };
    const iterate = (runId: string, after = 0) =>
      iterateRun(partOf(RunChannels), { runId, after }, ({ cursor }) => cursor);

    it('ends the subscriptions of those that are behind, and of those that wait', async () => {
      const writer = await createWriter(server());
      const { runId } = writer;
      await write(writer, 500);
      const [behind, waiting] = [iterate(runId), iterate(runId, 500)];
      expect(await behind.next()).toEqual({ done: false, value: 200 });
      const next = waiting.next();
      await remove(runId);
      const reads = limitReads(20);
      expect([await behind.next(), await next]).toEqual(Array(2).fill({ done: true, value: undefined }));
      reads.mockRestore();
      const late = iterate(runId);
      await expect(late.next()).rejects.toMatchObject({ code: 'server.not_found' });
    });

    it('ends those that find its history gone before they are told', async () => {
      const writer = await createWriter(server());
      const { runId } = writer;
      await write(writer, 500);
      const behind = iterate(runId);
      expect(await behind.next()).toEqual({ done: false, value: 200 });
      await removeRows(runId);
      const reads = limitReads(20);
      expect(await behind.next()).toEqual({ done: true, value: undefined });
      reads.mockRestore();
    });

    it('refuses the sockets that follow it, which may follow others instead', async () => {
      const writers = [await createWriter(server()), await createWriter(server())] as const;
      const [{ runId }, other] = writers;
      await write(writers[0], 100);
      const socket = connect();
      const refusals: { code: string; message: string }[] = [];
      socket.on('refused', (refusal: (typeof refusals)[number]) => refusals.push(refusal));
      let last = 0;
      socket.on('batch', (batch: { cursor: number }) => (last = batch.cursor));
      expect(await follow(socket, runId)).toMatchObject({ ok: true, head: 100 });
      await waitFor('history has come', () => last === 100);
      await remove(runId);
      await waitFor('it is refused', () => refusals.length > 0);
      expect(refusals).toMatchObject([
        {
          code: 'server.not_found',
          message: expect.stringContaining(`follow run "${runId}": it was deleted`),
        },
      ]);
      expect(await follow(socket, other.runId)).toMatchObject({ ok: true });
      socket.disconnect();
    });

    it('refuses a socket that is behind', async () => {
      const writer = await createWriter(server());
      const { runId } = writer;
      await write(writer, 500);
      const socket = connect();
      const refusals: unknown[] = [];
      let last = 0;
      socket.on('refused', (refusal) => refusals.push(refusal));
      socket.on('batch', (batch: { cursor: number }) => (last = batch.cursor));
      // the second page is read when the run is gone
      const reads = limitReads(20, async (count) => {
        if (count === 2) await removeRows(runId);
      });
      expect(await follow(socket, runId)).toMatchObject({ ok: true, head: 500 });
      await waitFor('it is refused', () => refusals.length > 0);
      reads.mockRestore();
      expect([last, refusals]).toMatchObject([200, [{ code: 'server.not_found' }]]);
      socket.disconnect();
    });

    it('is told to clients that follow it', async () => {
      const writer = await createWriter(server());
      const { runId } = writer;
      await write(writer, 100);
      const client = createClient({ url: server().url, key: server().adminKey });
      const seen: number[] = [];
      const following = codeOf(
        (async () => {
          for await (const { cursor } of client.follow(runId, { until: 'never' })) seen.push(cursor);
        })(),
      );
      await waitFor('history has come', () => seen.at(-1) === 100);
      await remove(runId);
      expect(await following).toBe('server.not_found');
      await client.dispose();
    });
  },
  { stream: { flushMs: 20, maxFollowsPerSocket: 1 } },
);
