/** @file Disks without room: the server's, and a worker's. */
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import type { Fault } from '../fault.js';
import { isTraining } from '../stage.js';

const fillServer: Fault = {
  name: 'server-disk-server',
  summary: 'no room on the disk of the server, then room again',
  stages: ['small-disks'],
  async inject({ stage, target, random }) {
    const { serverDisk } = stage;
    if (serverDisk === undefined || !isTraining(stage.newestOf(target.id))) return undefined;
    const mark = target.mark();
    serverDisk.fill();
    try {
      await Promise.all([
        wait(200 + 800 * random.next()),
        waitFor('training goes on', () => target.hasAdvanced(mark)),
      ]);
    } finally {
      serverDisk.empty();
    }
    return { wentOn: 'the run advanced', repairedAt: performance.now() };
  },
};

const fillWorker: Fault = {
  name: 'server-disk-worker',
  summary: 'no room on the disk of a worker, then room again',
  stages: ['small-disks'],
  async inject({ stage, target, others, random }) {
    const held = stage.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    const { disk } = stage.workerNamed(held.worker);
    if (disk === undefined) return undefined;
    // with both runs here, nothing could show that work goes on
    const beside = others.flatMap((run) => {
      const now = stage.newestOf(run.id);
      return isTraining(now) && now.worker !== held.worker ? [{ run, mark: run.mark() }] : [];
    });
    if (beside.length === 0) return undefined;
    disk.fill();
    // what trains here saves, or tries to, and stops
    try {
      await Promise.all([
        wait(300 + 700 * random.next()),
        waitFor('a run goes on with another worker', () =>
          beside.some(({ run, mark }) => run.hasAdvanced(mark)),
        ),
      ]);
    } finally {
      disk.empty();
    }
    return { wentOn: 'a run advanced on the other worker', repairedAt: performance.now() };
  },
};

export const fullDisks: readonly Fault[] = [fillServer, fillWorker];
