/** @file kill -9 of the trainer, the worker, the server, the database. */
import { waitFor } from '@espalier/testing';
import type { Fault, Injected, Scene } from '../fault.js';
import { isTraining } from '../stage.js';
import { childrenOf, isWorking } from '../worker-folder.js';

const anyStage = ['sqlite', 'postgres', 'small-disks'] as const;

const killTrainer: Fault = {
  name: 'server-trainer',
  summary: 'kill -9 of a training process',
  stages: anyStage,
  async inject({ stage, target, others, random }): Promise<Injected | undefined> {
    const held = stage.newestOf(target.id);
    if (!isTraining(held)) return undefined;
    // alone, nothing could show that work goes on
    const beside = others.filter((run) => isTraining(stage.newestOf(run.id)));
    if (beside.length === 0) return undefined;
    const marks = beside.map((run) => run.mark());
    // alone, its shell tells how it ended; with its group, nobody does
    const isAlone = random.next() < 0.5;
    const [child = held.pid] = childrenOf(held.pid);
    try {
      process.kill(isAlone ? child : -held.pid, 'SIGKILL');
    } catch {
      return undefined;
    }
    const repairedAt = performance.now();
    await waitFor('another run goes on', () =>
      beside.some((run, index) => run.hasAdvanced(marks[index] ?? run.mark())),
    );
    await waitFor('the killed process is gone', () => !isWorking(child));
    return {
      wentOn: 'another run advanced',
      repairedAt,
      note: isAlone ? 'the process alone' : 'its whole group',
    };
  },
};

/** Kills something while a run trains, waits until that has gone on without it, and starts it again; undefined where nothing showed it. */
async function killAndStart(
  { stage, target }: Scene,
  what: { kill(): Promise<void>; start(): Promise<void> },
): Promise<Injected | undefined> {
  if (!isTraining(stage.newestOf(target.id))) return undefined;
  const mark = target.mark();
  await what.kill();
  // its worker may have been about to learn that the attempt is somebody else's; then nothing can show that work goes on
  const isLost = (): boolean => stage.newestOf(target.id)?.attemptId !== mark.attemptId;
  await waitFor('training goes on alone', () => target.hasAdvanced(mark) || isLost());
  const wasShown = target.hasAdvanced(mark);
  await what.start();
  return wasShown ? { wentOn: 'the run advanced', repairedAt: performance.now() } : undefined;
}

const killWorker: Fault = {
  name: 'server-worker',
  summary: 'kill -9 of a worker, started again on the same folder',
  stages: anyStage,
  async inject(scene) {
    const held = scene.stage.newestOf(scene.target.id);
    return held === undefined ? undefined : killAndStart(scene, scene.stage.workerNamed(held.worker).program);
  },
};

const killServer: Fault = {
  name: 'server-server',
  summary: 'kill -9 of the server, started again on the same database',
  stages: anyStage,
  inject: (scene) => killAndStart(scene, scene.stage.server),
};

const killPostgres: Fault = {
  name: 'server-postgres',
  summary: 'PostgreSQL ended at once (SIGQUIT) and started again',
  stages: ['postgres'],
  async inject(scene) {
    const { postgres } = scene.stage;
    if (postgres === undefined) return undefined;
    return killAndStart(scene, { kill: () => postgres.down('SIGQUIT'), start: postgres.up });
  },
};

export const kills: readonly Fault[] = [killTrainer, killWorker, killServer, killPostgres];
