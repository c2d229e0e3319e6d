/** @file Full disks of the server and of a worker. */
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import type { Fault } from '../fault.js';
import { isTraining } from '../cluster.js';

const fillServer: Fault = {
  name: 'server-disk-server',
  summary: 'the disk of the server is full for a while',
  clusters: ['small-disks'],
  async inject({ cluster, target, random }) {
    const { serverDisk } = cluster;
    if (serverDisk === undefined || !isTraining(cluster.newestOf(target.id))) return undefined;
    const mark = target.mark();
    serverDisk.fill();
    try {
      await Promise.all([
        wait(200 + 800 * random.next()),
        waitFor('training continues', () => target.hasAdvanced(mark)),
      ]);
    } finally {
      serverDisk.empty();
    }
    return { evidence: 'the run advanced', repairedAt: performance.now() };
  },
};

const fillWorker: Fault = {
  name: 'server-disk-worker',
  summary: 'the disk of a worker is full for a while',
  clusters: ['small-disks'],
  async inject({ cluster, target, others, random }) {
    const held = cluster.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    const { disk } = cluster.workerNamed(held.worker);
    if (disk === undefined) return undefined;
    // with both runs on this worker, nothing could show that training continues
    const beside = others.flatMap((run) => {
      const now = cluster.newestOf(run.id);
      return isTraining(now) && now.worker !== held.worker ? [{ run, mark: run.mark() }] : [];
    });
    if (beside.length === 0) return undefined;
    disk.fill();
    // the run on this worker tries to save and stops
    try {
      await Promise.all([
        wait(300 + 700 * random.next()),
        waitFor('a run continues on another worker', () =>
          beside.some(({ run, mark }) => run.hasAdvanced(mark)),
        ),
      ]);
    } finally {
      disk.empty();
    }
    return { evidence: 'a run advanced on the other worker', repairedAt: performance.now() };
  },
};

export const fullDisks: readonly Fault[] = [fillServer, fillWorker];
