/** @file A worker that falls silent: stopped beyond its lease, or cut off by the network. */
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import type { Fault } from '../fault.js';
import { isTraining, leaseMs } from '../stage.js';
import { isWorking, listHeld } from '../worker-folder.js';

const stopWorker: Fault = {
  name: 'server-stopped-worker',
  summary:
    'a worker stopped (SIGSTOP) beyond its lease, then continued: when another has its job and it is fenced, or while nobody has it and it goes on',
  stages: ['sqlite', 'postgres', 'small-disks'],
  async inject({ stage, target, random }) {
    const held = stage.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    const worker = stage.workerNamed(held.worker);
    const mark = target.mark();
    const isTaken = (): boolean => (stage.newestOf(target.id)?.token ?? 0) > held.token;
    const isTakenAndTrains = (): boolean => {
      const now = stage.newestOf(target.id);
      return now !== undefined && now.token > held.token && (now.rows > 0 || now.hasEnded);
    };
    const stateOf = async () => (await stage.client.runs.get(target.id)).state;
    const isSoon = random.next() < 0.5;
    worker.program.signal('SIGSTOP');
    try {
      await waitFor(
        'another worker has the job and trains, or nobody has it yet',
        async () =>
          target.isOver() ||
          isTakenAndTrains() ||
          (isSoon && target.hasAdvanced(mark) && (await stateOf()) === 'queued'),
      );
    } finally {
      worker.program.signal('SIGCONT');
    }
    const repairedAt = performance.now();
    await waitFor('somebody has the job', async () => isTaken() || (await stateOf()) !== 'queued');
    const isBack = (await stage.client.runs.get(target.id)).attempts.at(-1)?.number === held.token;
    if (isBack) return { wentOn: 'the run advanced beside the stopped worker', repairedAt, note: 'went on' };
    const isForgotten = (): boolean =>
      listHeld(worker.name, worker.folder).every(({ attemptId }) => attemptId !== held.attemptId);
    await waitFor('the first worker has given the attempt up', () => isForgotten() && !isWorking(held.pid));
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
      await Promise.all([wait(ms), waitFor('training goes on alone', () => target.hasAdvanced(mark))]);
    } finally {
      stage.network.heal(random.next() < 0.5);
    }
    const note = `${isSilent ? 'silent' : 'broken'}${isBeyondLease ? ' beyond the lease' : ''}`;
    return { wentOn: 'the run advanced', repairedAt: performance.now(), note };
  },
};

export const silences: readonly Fault[] = [stopWorker, cutNetwork];
