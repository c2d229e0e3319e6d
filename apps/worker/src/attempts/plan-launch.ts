/** @file The command line of an attempt. It is one that a user could type, so training is the same with and without a server. */
import { join } from 'node:path';
import { runLayout } from '@espalier/contracts';
import { type FolderModel, type ModelChoice, rootOf } from '@espalier/contracts/model-choice';
import { type Assignment, pluginEnvironment } from '@espalier/protocol';
import type { AttemptFolder } from './attempt-folder.js';
import type { FetchedModel, RunStart } from '../artifacts/fetch-run.js';
import type { WorkerOptions } from '../worker-options.js';
import type { LaunchPlan } from './launch.js';

/** Environment variables of libraries that would otherwise start one thread per core. */
const threadVariables = ['OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'];

/** The paths of the worker, and which of its environment variables it passes on. */
export interface LaunchContext {
  readonly cli: string;
  readonly runs: string;
  readonly options: Pick<WorkerOptions, 'passEnvironment' | 'reportTo'>;
}

/** Returns the environment of a process: the worker's without secrets, and the devices that it may use. */
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
    CUDA_VISIBLE_DEVICES: visible,
    NO_COLOR: '1',
  };
}

const wantedThreads = ({ spec }: Assignment): number | undefined =>
  (spec['device'] as { threads?: number } | undefined)?.threads;

/** The number of threads does not change results; a smaller number in the spec stays. */
function threadArgs(assignment: Assignment): string[] {
  const wanted = wantedThreads(assignment);
  const { threads } = assignment;
  return wanted !== undefined && wanted <= threads ? [] : ['--set', `device.threads=${threads}`];
}

/** An imported run may name plugin folders of the machine that it began on; a worker has its own plugins only. */
const pluginArgs = ({ spec }: Assignment): string[] =>
  spec['plugins'] === undefined ? [] : ['--set', 'plugins=[]'];

const filesOf = (folder: AttemptFolder): Pick<LaunchPlan, 'exitFile' | 'logFile'> => ({
  exitFile: folder.exitFile,
  logFile: folder.streamFile('log'),
});

/** Plans a training process. */
export function planTraining(folder: AttemptFolder, site: LaunchContext, start: RunStart): LaunchPlan {
  const { assignment } = folder;
  const { cli, runs, options } = site;
  const words = [
    process.execPath,
    cli,
    'train',
    folder.specFile,
    '--out',
    join(runs, assignment.runId),
    ...(start.isResumed ? ['--resume'] : []),
    ...(start.fork === undefined ? [] : ['--fork', start.fork]),
    '--events',
    folder.streamFile('trainer'),
    ...threadArgs(assignment),
    ...pluginArgs(assignment),
    ...options.reportTo.flatMap((tracker) => ['--report-to', tracker]),
    ...(start.model === undefined
      ? []
      : ['--set', `model=${JSON.stringify(choose(start.model, assignment))}`]),
  ];
  return { words, env: planEnvironment(assignment, options.passEnvironment), ...filesOf(folder) };
}

/** Names a model from the server, and the base of an adapter. */
function choose({ folder, base }: FetchedModel, { spec }: Assignment): ModelChoice {
  const named = base === 'spec' ? (spec['model'] as ModelChoice) : base === undefined ? base : { path: base };
  return { path: folder, ...(named === undefined ? {} : { base: named }) };
}

/** Plans the process of a chat: an endpoint over the checkpoint, on a port of its own. @param key what it is called with */
export function planChat(
  folder: AttemptFolder,
  site: LaunchContext,
  checkpoint: FetchedModel,
  key: string,
): LaunchPlan {
  const { assignment } = folder;
  const idle = assignment.evaluate?.chat?.idleSeconds ?? 1;
  const words = [
    process.execPath,
    site.cli,
    'model',
    'serve',
    nameModel(checkpoint, assignment),
    '--json',
    '--port',
    '0',
    '--end-idle',
    `${idle}s`,
    '--threads',
    String(assignment.threads),
  ];
  const env = {
    ...planEnvironment(assignment, site.options.passEnvironment),
    ESPALIER_ENDPOINT_KEY: key,
  };
  return { words, env, ...filesOf(folder), outputFile: folder.resultFile };
}

/** Plans an evaluation process. @param trajectories folder with the fetched trajectories, as in a run */
export function planEvaluation(
  folder: AttemptFolder,
  site: LaunchContext,
  checkpoint: FetchedModel,
  trajectories = '',
): LaunchPlan {
  const { assignment } = folder;
  const { episodes = 1, split = 'validation', continue: continued } = assignment.evaluate ?? {};
  const what =
    continued === undefined
      ? ['eval', checkpoint.folder, folder.specFile, '--split', split]
      : [
          'continue',
          checkpoint.folder,
          continued.trajectory,
          '--config',
          folder.specFile,
          '--trajectories',
          join(trajectories, runLayout.trajectories),
          '--turns',
          // the command line counts turns from 1
          continued.turns.map((turn) => turn + 1).join(','),
        ];
  const words = [
    ...what,
    '--episodes',
    String(episodes),
    ...threadArgs(assignment),
    ...pluginArgs(assignment),
  ];
  const { base } = choose(checkpoint, assignment) as FolderModel;
  if (base !== undefined) words.push('--base', JSON.stringify(rootOf(base)));
  return planMeasuring(folder, site, words);
}

/** The spec as the process of an attempt reads it where no options change it. */
export function specHere(assignment: Assignment): Record<string, unknown> {
  const { spec, threads } = assignment;
  return {
    ...spec,
    ...(spec['plugins'] === undefined ? {} : { plugins: [] }),
    device: {
      ...(spec['device'] as object | undefined),
      threads: Math.min(wantedThreads(assignment) ?? threads, threads),
    },
  };
}

/** Plans a process that scores stored trajectories again. @param run folder laid out as a run, with spec and trajectories */
export function planRescoring(
  folder: AttemptFolder,
  site: LaunchContext,
  checkpoint: FetchedModel | undefined,
  run: string,
): LaunchPlan {
  const { assignment } = folder;
  const { rewards = [], trajectory } = assignment.evaluate?.rescore ?? {};
  const words = ['rescore', run, ...rewards.flatMap((reward) => ['--reward', JSON.stringify(reward)])];
  if (checkpoint !== undefined) words.push('--model', nameModel(checkpoint, assignment));
  if (trajectory !== undefined) words.push('--trajectory', trajectory);
  return planMeasuring(folder, site, words);
}

/** Names a checkpoint, and the base of an adapter, as a command line does. */
function nameModel(checkpoint: FetchedModel, assignment: Assignment): string {
  const { base } = choose(checkpoint, assignment) as FolderModel;
  if (base === undefined) return checkpoint.folder;
  return JSON.stringify({ path: checkpoint.folder, base: rootOf(base) });
}

const planMeasuring = (folder: AttemptFolder, site: LaunchContext, words: readonly string[]): LaunchPlan => ({
  words: [process.execPath, site.cli, ...words, '--json'],
  env: planEnvironment(folder.assignment, site.options.passEnvironment),
  ...filesOf(folder),
  outputFile: folder.resultFile,
});
