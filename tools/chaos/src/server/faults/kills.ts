/** @file kill -9 of the trainer, the worker, the server, the database. */
import { waitFor } from '@espalier/testing';
import type { Fault, Injected, FaultContext } from '../fault.js';
import { isTraining } from '../cluster.js';
import { childrenOf, isWorking } from '../worker-folder.js';

const anyStage = ['sqlite', 'postgres', 'small-disks'] as const;

const killTrainer: Fault = {
  name: 'server-trainer',
  summary: 'kill -9 of a training process',
  clusters: anyStage,
  async inject({ cluster, target, others, random }): Promise<Injected | undefined> {
    const held = cluster.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    // without another run, nothing could show that training continues
    const beside = others.filter((run) => isTraining(cluster.newestOf(run.id)));
    if (beside.length === 0) return undefined;
    const marks = beside.map((run) => run.mark());
    // if only the process is killed, its shell reports the exit; with its group, nothing does
    const isAlone = random.next() < 0.5;
    const [child = held.pid] = childrenOf(held.pid);
    try {
      process.kill(isAlone ? child : -held.pid, 'SIGKILL');
    } catch {
      return undefined;
    }
    const repairedAt = performance.now();
    await waitFor('another run continues', () =>
      beside.some((run, index) => run.hasAdvanced(marks[index] ?? run.mark())),
    );
    await waitFor('the killed process is gone', () => !isWorking(child));
    return {
      evidence: 'another run advanced',
      repairedAt,
      note: isAlone ? 'the process alone' : 'its whole group',
    };
  },
};

/** Kills a program while a run trains, waits until training continues, and restarts it; undefined without evidence. */
async function killAndStart(
  { cluster, target }: FaultContext,
  what: { kill(): Promise<void>; start(): Promise<void> },
): Promise<Injected | undefined> {
  if (!isTraining(cluster.newestOf(target.id))) return undefined;
  const mark = target.mark();
  await what.kill();
  // the worker may just have lost the attempt; then nothing can show that training continues
  const isLost = (): boolean => cluster.newestOf(target.id)?.attemptId !== mark.attemptId;
  await waitFor('training continues alone', () => target.hasAdvanced(mark) || isLost());
  const wasShown = target.hasAdvanced(mark);
  await what.start();
  return wasShown ? { evidence: 'the run advanced', repairedAt: performance.now() } : undefined;
}

const killWorker: Fault = {
  name: 'server-worker',
  summary: 'kill -9 of a worker, restarted on the same folder',
  clusters: anyStage,
  async inject(context) {
    const held = context.cluster.newestOf(context.target.id);
    return held === undefined
      ? undefined
      : killAndStart(context, context.cluster.workerNamed(held.worker).program);
  },
};

const killServer: Fault = {
  name: 'server-server',
  summary: 'kill -9 of the server, restarted on the same database',
  clusters: anyStage,
  inject: (context) => killAndStart(context, context.cluster.server),
};

const killPostgres: Fault = {
  name: 'server-postgres',
  summary: 'PostgreSQL stopped immediately (SIGQUIT) and restarted',
  clusters: ['postgres'],
  async inject(context) {
    const { postgres } = context.cluster;
    if (postgres === undefined) return undefined;
    return killAndStart(context, { kill: () => postgres.down('SIGQUIT'), start: postgres.up });
  },
};

export const kills: readonly Fault[] = [killTrainer, killWorker, killServer, killPostgres];
