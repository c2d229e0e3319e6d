/** @file A worker that falls silent: stopped beyond its lease, or cut off by the network. */
import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@espalier/testing';
import type { Fault } from '../fault.js';
import { isTraining, leaseMs } from '../stage.js';
import { isWorking, listHeld } from '../worker-folder.js';

const stopWorker: Fault = {
  name: 'server-stopped-worker',
  summary:
    'a worker stopped (SIGSTOP) beyond its lease while another takes its job, then continued and fenced',
  stages: ['sqlite', 'postgres', 'small-disks'],
  async inject({ stage, target }) {
    const held = stage.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    const worker = stage.workerNamed(held.worker);
    worker.program.signal('SIGSTOP');
    try {
      await until('another worker has the job and trains', () => {
        const now = stage.newestOf(target.id);
        return (
          target.isOver() || (now !== undefined && now.token > held.token && (now.rows > 0 || now.hasEnded))
        );
      });
    } finally {
      worker.program.signal('SIGCONT');
    }
    const repairedAt = performance.now();
    const isForgotten = (): boolean =>
      listHeld(worker.name, worker.folder).every(({ attemptId }) => attemptId !== held.attemptId);
    await until('the first worker has given the attempt up', () => isForgotten() && !isWorking(held.pid));
    return { wentOn: 'the run advanced on the other worker', repairedAt, note: 'fenced' };
  },
};

const cutNetwork: Fault = {
  name: 'server-network',
  summary: 'connections between workers and server broken, or silent, for up to twice the lease',
  stages: ['sqlite', 'postgres', 'small-disks'],
  async inject({ stage, target, random }) {
    if (!isTraining(stage.newestOf(target.id))) return undefined;
    const mark = target.mark();
    const isSilent = random.next() < 0.5;
    const isBeyondLease = random.next() < 0.25;
    const ms = isBeyondLease ? leaseMs * (1 + random.next()) : leaseMs * 0.5 * random.next();
    if (isSilent) stage.network.swallow();
    else stage.network.cut();
    try {
      await Promise.all([wait(ms), until('training goes on alone', () => target.hasAdvanced(mark))]);
    } finally {
      stage.network.heal(random.next() < 0.5);
    }
    const note = `${isSilent ? 'silent' : 'broken'}${isBeyondLease ? ' beyond the lease' : ''}`;
    return { wentOn: 'the run advanced', repairedAt: performance.now(), note };
  },
};

export const silences: readonly Fault[] = [stopWorker, cutNetwork];
