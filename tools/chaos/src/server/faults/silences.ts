/** @file A silent worker: stopped beyond its lease, or disconnected. */
import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@espalier/testing';
import type { Fault } from '../fault.js';
import { isTraining, leaseMs } from '../cluster.js';
import { isWorking, listHeld } from '../worker-folder.js';

const stopWorker: Fault = {
  name: 'server-stopped-worker',
  summary:
    'a worker stopped (SIGSTOP) beyond its lease, then continued: after its job was reassigned, so that it is fenced, or before, so that it resumes',
  clusters: ['sqlite', 'postgres', 'small-disks'],
  async inject({ cluster, target, random }) {
    const held = cluster.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    const worker = cluster.workerNamed(held.worker);
    const mark = target.mark();
    const isReassigned = (): boolean => (cluster.newestOf(target.id)?.token ?? 0) > held.token;
    const isReassignedAndTraining = (): boolean => {
      const now = cluster.newestOf(target.id);
      return now !== undefined && now.token > held.token && (now.rows > 0 || now.hasEnded);
    };
    const stateOf = async () => (await cluster.client.runs.get(target.id)).state;
    const resumesEarly = random.next() < 0.5;
    worker.program.signal('SIGSTOP');
    try {
      await waitFor(
        'the job is reassigned and trains, or is still queued',
        async () =>
          target.isOver() ||
          isReassignedAndTraining() ||
          (resumesEarly && target.hasAdvanced(mark) && (await stateOf()) === 'queued'),
      );
    } finally {
      worker.program.signal('SIGCONT');
    }
    const repairedAt = performance.now();
    await waitFor('the job is assigned', async () => isReassigned() || (await stateOf()) !== 'queued');
    const isBack = (await cluster.client.runs.get(target.id)).attempts.at(-1)?.number === held.token;
    if (isBack)
      return { evidence: 'the run advanced while the worker was stopped', repairedAt, note: 'resumed' };
    const isReleased = (): boolean =>
      listHeld(worker.name, worker.folder).every(({ attemptId }) => attemptId !== held.attemptId);
    await waitFor('the first worker has released the attempt', () => isReleased() && !isWorking(held.pid));
    return { evidence: 'the run advanced on the other worker', repairedAt, note: 'fenced' };
  },
};

const cutNetwork: Fault = {
  name: 'server-network',
  summary: 'connections between workers and server closed or silent for up to twice the lease',
  clusters: ['sqlite', 'postgres', 'small-disks'],
  async inject({ cluster, target, random }) {
    if (!isTraining(cluster.newestOf(target.id))) return undefined;
    const mark = target.mark();
    const isSilent = random.next() < 0.5;
    const isBeyondLease = random.next() < 0.25;
    const ms = isBeyondLease ? leaseMs * (1 + random.next()) : leaseMs * 0.5 * random.next();
    if (isSilent) cluster.network.silence();
    else cluster.network.cut();
    try {
      await Promise.all([wait(ms), waitFor('training continues alone', () => target.hasAdvanced(mark))]);
    } finally {
      cluster.network.heal(random.next() < 0.5);
    }
    const note = `${isSilent ? 'silent' : 'closed'}${isBeyondLease ? ' beyond the lease' : ''}`;
    return { evidence: 'the run advanced', repairedAt: performance.now(), note };
  },
};

export const silences: readonly Fault[] = [stopWorker, cutNetwork];
