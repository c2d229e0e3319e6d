/** @file A model as a command line names it: a folder, a checkpoint, a run, or a model plugin. */
import { existsSync, statSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import type { Console } from '../console.js';
import { calledAs, quoteWord } from '../parse-arguments.js';
import { loadRegistry, type Registry } from '../workspace.js';
import { noteCorrupt, openModel, type OpenedModel } from './open-model.js';

/** A bare word that is no model plugin is a folder in the present one. */
export function nameOrPath(model: string, registry: Registry): string {
  const isPlugin = registry.list().some(({ kind, id }) => kind === 'model' && id === model);
  return isPlugin || /[\\/.]/.test(model) ? model : `./${model}`;
}

/** Whether a path is a file, which can only be a GGUF file. */
export const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile();

/**
 * Opens the folder of a model.
 *
 * @throws cli.usage for a GGUF file; as {@link openModel}
 */
export async function openNamedModel(
  operation: string,
  name: string,
  console: Console,
): Promise<OpenedModel> {
  if (isFile(name)) {
    const command = `${calledAs()} model import ${quoteWord(name)} --out models/…`;
    throw new AppError(
      'cli.usage',
      `model ${operation} ${name}: is a file, not a model folder; convert a GGUF file with: ${command}`,
    );
  }
  const registry = await loadRegistry(console);
  const opened = openModel(nameOrPath(name, registry), {}, registry);
  noteCorrupt(opened, console);
  return opened;
}
