/** @file A configuration file of this machine, as it is sent to a server. */
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { applyOverrides, loadConfig, parseConfig } from '@espalier/config/plain';
import { AppError, isAppError } from '@espalier/contracts';

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
  const { name, model } = value as { name?: unknown; model?: { path?: unknown } };
  const folder = model?.path;
  const overrides = [
    ...(name === undefined && fileName !== undefined ? [`name=${fileName}`] : []),
    ...(typeof folder === 'string' && !isAbsolute(folder)
      ? [`model.path=${JSON.stringify(resolve(folder))}`]
      : []),
  ];
  return { source: readFileSync(path, 'utf8'), overrides: [...overrides, ...set] };
}

/** The model folder that a configuration of this machine names, if it names one. */
export function modelFoldersOf({ source, overrides }: SentConfig): string[] {
  const { value } = applyOverrides(parseConfig(source, 'spec'), overrides);
  const { path } = (value as { readonly model?: { readonly path?: unknown } }).model ?? {};
  return typeof path === 'string' ? [resolve(path)] : [];
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
