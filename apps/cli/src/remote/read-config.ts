/** @file A configuration file of this machine, as it is sent to a server. */
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { applyOverrides, loadConfig, parseConfig } from '@espalier/config/plain';
import { AppError, isAppError } from '@espalier/contracts';
import { isRecord } from '@espalier/contracts/values';

export interface SentConfig {
  /** YAML as it was written */
  readonly source: string;
  /** what the file's place says, then what the command line says */
  readonly overrides: readonly string[];
}

/**
 * Reads a configuration. Its file gives the run its name unless it has one, and a model folder is named by its whole
 * path, because the server has another present folder.
 *
 * @throws config.unreadable
 */
export function readConfig(path: string, set: readonly string[]): SentConfig {
  const { value, fileName } = loadConfig(path);
  const { name, model } = value;
  const overrides = [
    ...(name === undefined && fileName !== undefined ? [`name=${fileName}`] : []),
    ...wholePathsOf(model),
  ];
  return { source: readFileSync(path, 'utf8'), overrides: [...overrides, ...set] };
}

/** The assignment that gives the folders of a model their whole paths. A base goes with its model, which another may replace. */
function wholePathsOf(model: unknown): string[] {
  if (!isRecord(model) || foldersOf(model).every((folder) => isAbsolute(folder))) return [];
  const whole = withWholePaths(model);
  return model['base'] === undefined
    ? [`model.path=${JSON.stringify(whole['path'])}`]
    : [`model=${JSON.stringify(whole)}`];
}

function withWholePaths(model: Record<string, unknown>): Record<string, unknown> {
  const { path, base } = model;
  return {
    ...model,
    ...(typeof path === 'string' ? { path: resolve(path) } : {}),
    ...(isRecord(base) ? { base: withWholePaths(base) } : {}),
  };
}

/** The folders of a model and of what it stands on. */
function foldersOf(model: unknown): string[] {
  if (!isRecord(model)) return [];
  const { path, base } = model;
  return [...(typeof path === 'string' ? [path] : []), ...foldersOf(base)];
}

/** The model folders that a configuration of this machine names. */
export function modelFoldersOf({ source, overrides }: SentConfig): string[] {
  const { value } = applyOverrides(parseConfig(source, 'spec'), overrides);
  return foldersOf(value['model']).map((folder) => resolve(folder));
}

/**
 * Does something with a configuration that was sent. A server does not know what its file is called, so a refusal that
 * names a place in it gets the name.
 *
 * @throws what `act` throws
 */
export async function namingFile<T>(path: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!isAppError(error) || error.code !== 'client.refused') throw error;
    const name = (text: string): string => text.replace(/^spec(?=:)/gm, () => path);
    const { problems } = error.details;
    const named = Array.isArray(problems)
      ? {
          problems: problems.map((problem: unknown) =>
            typeof problem === 'string' ? name(problem) : problem,
          ),
        }
      : {};
    throw new AppError(error.code, name(error.message), {
      cause: error,
      details: { ...error.details, ...named },
    });
  }
}
