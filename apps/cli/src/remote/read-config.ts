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
  const { name, model } = value as { name?: unknown; model?: { path?: unknown; base?: { path?: unknown } } };
  const overrides = [
    ...(name === undefined && fileName !== undefined ? [`name=${fileName}`] : []),
    ...resolved('model.path', model?.path),
    // naming another path drops the base of the old one
    ...(model?.base === undefined ? [] : [`model.base=${JSON.stringify(model.base)}`]),
    ...resolved('model.base.path', model?.base?.path),
  ];
  return { source: readFileSync(path, 'utf8'), overrides: [...overrides, ...set] };
}

const resolved = (option: string, folder: unknown): string[] =>
  typeof folder === 'string' && !isAbsolute(folder) ? [`${option}=${JSON.stringify(resolve(folder))}`] : [];

/** The model folders that a configuration of this machine names. */
export function modelFoldersOf({ source, overrides }: SentConfig): string[] {
  const { value } = applyOverrides(parseConfig(source, 'spec'), overrides);
  const { path, base } =
    (value as { readonly model?: { path?: unknown; base?: { path?: unknown } } }).model ?? {};
  return [path, base?.path].flatMap((folder) => (typeof folder === 'string' ? [resolve(folder)] : []));
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
