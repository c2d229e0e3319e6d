/** @file A model as a command line names it: a folder, a checkpoint, a run, or a model plugin. */
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, isAppError, runLayout } from '@espalier/contracts';
import { type ModelChoice, modelChoice } from '@espalier/contracts/model-choice';
import { isAdapterFolder } from '@espalier/model/adapters';
import { checkpointsFolder, listCheckpointSteps } from '@espalier/trainer/run-folder';
import type { Console } from '../console.js';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { loadRegistry, type Registry } from '../workspace.js';
import { noteCorrupt, openModel, type OpenedModel } from './open-model.js';

/**
 * Reads the name of a model: the id of a plugin, `hub:owner/name@revision`, JSON as in a spec, `RUN@STEP`, else a folder.
 *
 * @throws cli.usage; cli.run_not_found where a run has no checkpoint of that step
 */
export function parseModelName(name: string, registry: Registry): ModelChoice {
  if (registry.list().some(({ kind, id }) => kind === 'model' && id === name)) return { use: name };
  if (name.startsWith('{')) return parseModelJson(name);
  if (!name.startsWith('hub:')) return { path: locateCheckpoint(name) };
  const [hub, revision] = name.slice('hub:'.length).split('@', 2);
  const parsed = modelChoice.safeParse({ hub, revision });
  if (parsed.success) return parsed.data;
  throw new AppError(
    'cli.usage',
    `${name}: ${parsed.error.issues[0]?.message ?? 'not a model of a hub'}; write hub:owner/name or hub:owner/name@revision`,
  );
}

/** The run that `RUN` or `RUN@STEP` names. */
export const runOf = (name: string): string => splitStep(name).run;

/** Takes `RUN@STEP` apart where there is such a run; any other name is left whole. */
function splitStep(name: string): { readonly run: string; readonly step?: number } {
  const [, run = '', step = ''] = /^(.+)@(?:step-)?(\d+)$/.exec(name) ?? [];
  const isOfRun = step !== '' && !existsSync(name) && existsSync(checkpointsFolder(run));
  return isOfRun ? { run, step: Number(step) } : { run: name };
}

/** The folder that `RUN@STEP` names; other names are left as they are. @throws cli.run_not_found */
function locateCheckpoint(name: string): string {
  const { run, step } = splitStep(name);
  if (step === undefined) return name;
  const folder = join(checkpointsFolder(run), runLayout.stepName(step));
  if (existsSync(folder)) return folder;
  throw new AppError('cli.run_not_found', `model ${name}: ${describeMissing(run, step)}`);
}

/** That a run lacks the checkpoint of a step, and which it has. */
export function describeMissing(run: string, step: number): string {
  const steps = listCheckpointSteps(run).toReversed();
  return `the run has no checkpoint of step ${step}; it has ${steps.join(', ') || 'none'}`;
}

/** Only JSON names the options of a plugin. */
function parseModelJson(text: string): ModelChoice {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new AppError('cli.usage', `${text}: not JSON; write a model as in a spec: {"use":"seedling"}`, {
      cause,
    });
  }
  const parsed = modelChoice.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('cli.usage', `${text}: ${parsed.error.issues[0]?.message ?? 'names no model'}`);
}

/** Whether a path is a file, which can only be a GGUF file. */
export const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/** The command that makes a model of an adapter. */
export const mergeCommand = (adapter: string): string =>
  `${calledAs()} model merge BASE ${quoteWord(adapter)} --out models/…`;

const readObstacles: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission to read it; change its permissions',
  EPERM: 'this user has no permission to read it; change its permissions',
  EISDIR: 'it is a folder; name a file',
  EIO: 'the disk failed; copy the file from elsewhere',
};

/** Runs the work of a command that reads a model; what the system refuses is an error of the file. @throws model.unreadable */
export async function readingModel<T>(operation: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const { code = '', syscall, path, message } = cause as NodeJS.ErrnoException;
    if (isAppError(cause) || syscall === undefined) throw cause;
    const finding = readObstacles[code] ?? `${message}; check the file`;
    const place = path === undefined ? '' : ` ${path}:`;
    throw new AppError('model.unreadable', `${operation}:${place} ${finding}`, {
      details: { path, code },
      cause,
    });
  }
}

/**
 * Opens the folder of a model.
 *
 * @throws cli.usage for a GGUF file or an adapter; as {@link openModel}
 */
export async function openNamedModel(
  operation: string,
  given: string,
  console: Console,
): Promise<OpenedModel> {
  const name = locateCheckpoint(given);
  if (isFile(name)) {
    const command = `${calledAs()} model import ${quoteWord(name)} --out models/…`;
    throw new AppError(
      'cli.usage',
      `model ${operation} ${name}: is a file, not a model folder; convert a GGUF file with: ${command}`,
    );
  }
  // a checkpoint's has the config.json of its base, and its run recorded where that is
  const isModel = operation !== 'merge' && existsSync(join(name, 'config.json'));
  if (isAdapterFolder(name) && !isModel)
    throw new AppError(
      'cli.usage',
      `model ${operation} ${name}: is an adapter, not a model; merge it with: ${mergeCommand(name)}`,
    );
  const registry = await loadRegistry(console);
  const options = { needsTemplate: operation === 'chat' };
  const opened = await openModel(parseModelName(name, registry), registry, console, undefined, options);
  noteCorrupt(opened, console);
  return opened;
}
