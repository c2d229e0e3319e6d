/** @file Disks without room: the server's, and a worker's. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Fault } from '../fault.js';
import { isTraining } from '../stage.js';
import { until } from '../until.js';
import type { WatchedRun } from '../watched-run.js';

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
        until('training goes on', () => target.hasAdvanced(mark)),
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
    const isElsewhere = ({ id }: WatchedRun): boolean => {
      const beside = stage.newestOf(id);
      return isTraining(beside) && beside.worker !== held.worker;
    };
    if (!others.some(isElsewhere)) return undefined;
    const all = [target, ...others].map((run) => ({ run, mark: run.mark() }));
    disk.fill();
    // what trains elsewhere, or moves there, goes on; what trains here saves, or tries to, and stops
    const goesOnElsewhere = (): boolean =>
      all.some(({ run, mark }) => {
        const now = stage.newestOf(run.id);
        return now !== undefined && now.worker !== held.worker && run.hasAdvanced(mark);
      });
    let wentOn: string | undefined;
    try {
      await wait(300 + 700 * random.next());
      const isMoot = (): boolean => all.every(({ run }) => run.isOver());
      await until('a run goes on with another worker', () => goesOnElsewhere() || isMoot(), 20_000);
      wentOn = goesOnElsewhere() ? 'a run advanced on the other worker' : undefined;
    } catch {
      wentOn = undefined;
    } finally {
      disk.empty();
    }
    return { wentOn, repairedAt: performance.now() };
  },
};

export const fullDisks: readonly Fault[] = [fillServer, fillWorker];
