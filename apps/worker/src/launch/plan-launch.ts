/** @file The command line of an attempt: what anybody could type, so training is the same with a server and without. */
import { join } from 'node:path';
import { type Assignment, pluginEnvironment } from '@espalier/protocol';
import type { AttemptFolder } from '../attempts/attempt-folder.js';
import type { RunStart } from '../artifacts/fetch-run.js';
import type { WorkerOptions } from '../worker-options.js';
import type { LaunchPlan } from './launch.js';

/** Variables of libraries that would otherwise start a thread per core. */
const threadVariables = ['OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'];

/** Where the worker keeps things, and what of its environment it gives away. */
export interface LaunchSite {
  readonly cli: string;
  readonly runs: string;
  readonly options: Pick<WorkerOptions, 'passEnvironment'>;
}

/** Gives the environment of a process: that of the worker without secrets, and the devices it may use. */
export function planEnvironment(
  { devices, threads }: Pick<Assignment, 'devices' | 'threads'>,
  passed: readonly string[],
  own: Readonly<Record<string, string | undefined>> = process.env,
): Record<string, string> {
  const gpus = devices.filter(({ kind }) => kind === 'gpu');
  const visible = gpus.map(({ id, index }) => (/^(GPU|MIG)-/.test(id) ? id : String(index))).join(',');
  return {
    ...pluginEnvironment(own, passed),
    ...Object.fromEntries(threadVariables.map((name) => [name, String(threads)])),
    ...{ CUDA_VISIBLE_DEVICES: visible, NO_COLOR: '1' },
  };
}

/** The number of threads does not change what a run computes; a smaller one of the spec stays. */
function threadWords({ spec, threads }: Assignment): string[] {
  const wanted = (spec['device'] as { threads?: number } | undefined)?.threads;
  return wanted !== undefined && wanted <= threads ? [] : ['--set', `device.threads=${threads}`];
}

const filesOf = (folder: AttemptFolder): Pick<LaunchPlan, 'exitFile' | 'logFile'> => ({
  exitFile: folder.exitFile,
  logFile: folder.streamFile('log'),
});

/** Plans the process of a training. */
export function planTraining(folder: AttemptFolder, site: LaunchSite, start: RunStart): LaunchPlan {
  const { assignment } = folder;
  const { cli, runs, options } = site;
  const words = [
    ...[process.execPath, cli, 'train', folder.specFile, '--out', join(runs, assignment.runId)],
    ...(start.isResumed ? ['--resume'] : []),
    ...['--events', folder.streamFile('trainer')],
    ...threadWords(assignment),
    ...(start.model === undefined ? [] : ['--set', `model=${JSON.stringify({ use: start.model })}`]),
  ];
  return { words, env: planEnvironment(assignment, options.passEnvironment), ...filesOf(folder) };
}

/** Plans the process of an evaluation. */
export function planEvaluation(folder: AttemptFolder, site: LaunchSite, checkpoint: string): LaunchPlan {
  const { assignment } = folder;
  const { episodes = 1, split = 'validation' } = assignment.evaluate ?? {};
  const words = [
    ...[process.execPath, site.cli, 'eval', checkpoint, folder.specFile, '--json'],
    ...['--episodes', String(episodes), '--split', split],
    ...threadWords(assignment),
  ];
  const env = planEnvironment(assignment, site.options.passEnvironment);
  return { words, env, ...filesOf(folder), outputFile: folder.resultFile };
}
