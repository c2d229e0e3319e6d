import type { Device } from '@espalier/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cpuSlots } from '../../../../../test/support/simulated-worker.js';
import { FakeWorker } from '../../testing/fake-worker.js';
import { createJobParts, type JobParts } from '../../testing/job-parts.js';
import { DeviceMinute } from '../database/entities/device-minute.js';
import { DeviceHistory } from './device-history.service.js';
import { WorkerCleanup } from './worker-cleanup.service.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const [slot] = cpuSlots(1) as [Device];
const busy = (utilisation: number | null, freeMemoryMb = 100): Device[] => [
  { ...slot, utilisation, freeMemoryMb },
];
const nothing = { powerWatts: null, temperatureCelsius: null };

describe('the history of devices', () => {
  let parts: JobParts;
  let worker: FakeWorker;
  const stored = (): Promise<DeviceMinute[]> =>
    parts.source.getRepository(DeviceMinute).find({ order: { at: 'ASC' } });
  beforeAll(async () => {
    parts = await createJobParts();
    worker = new FakeWorker(parts, 'w', cpuSlots(1));
    await worker.connect();
    // to the begin of a minute
    parts.clock.pass(minuteMs - (parts.clock.now() % minuteMs));
  });
  afterAll(() => parts.close());

  it('has the means of each minute, and of what a device did not report nothing', async () => {
    const { history, clock } = parts;
    const begin = clock.now();
    history.note(worker.workerId, busy(0.2, 100));
    clock.pass(20_000);
    history.note(worker.workerId, busy(null, 200));
    clock.pass(20_000);
    history.note(worker.workerId, busy(0.4, 300));
    await history.flush();
    expect(await stored()).toEqual([]);
    clock.pass(20_000);
    await history.flush();
    const [first] = await stored();
    expect(first).toMatchObject({ workerId: worker.workerId, at: begin });
    expect(first?.devices).toEqual([
      { id: slot.id, utilisation: expect.closeTo(0.3) as number, freeMemoryMb: 200, ...nothing },
    ]);
  });

  it('is read in equal spans, those without a report left out, the present minute included', async () => {
    const { history, clock } = parts;
    clock.pass(2 * hourMs - minuteMs);
    history.note(worker.workerId, busy(0.9));
    const query = { hours: 3, points: 3 };
    const spans = await history.list(worker.workerId, query);
    expect(spans.map(({ at }) => (clock.now() - at) / hourMs)).toEqual([2, 1]);
    expect(spans.map(({ devices }) => devices[0]?.utilisation)).toEqual([
      expect.closeTo(0.3),
      expect.closeTo(0.9),
    ]);
    await expect(history.list('nobody', query)).rejects.toMatchObject({ code: 'server.not_found' });
  });

  it('keeps a minute that could not be written, and what it has when the server stops', async () => {
    const { clock, log, source, options } = parts;
    let isBroken = true;
    const failing = {
      write: (...words: Parameters<typeof log.write>) =>
        isBroken ? Promise.reject(new Error('the disk is full')) : log.write(...words),
    } as typeof log;
    const history = new DeviceHistory(source, failing, clock, options);
    const before = (await stored()).length;
    history.note(worker.workerId, busy(0.5));
    clock.pass(minuteMs);
    await expect(history.flush()).rejects.toThrow('the disk is full');
    isBroken = false;
    history.note(worker.workerId, busy(0.7));
    await history.onModuleDestroy();
    expect((await stored()).slice(before).map(({ devices }) => devices[0]?.utilisation)).toEqual([0.5, 0.7]);
  });

  it('is deleted after the retention time, and with its worker', async () => {
    const { history, clock, log, pool, options } = parts;
    clock.pass(7 * 24 * hourMs - minuteMs);
    await history.sweep();
    expect(await stored()).toHaveLength(2);
    await parts.rows.disconnect(worker.workerId, worker, true);
    await new WorkerCleanup(log, pool, clock, options).forget(worker.workerId);
    expect(await stored()).toEqual([]);
  });
});
