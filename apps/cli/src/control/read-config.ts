/** @file A configuration file of this machine, as it is sent to a server. */
import { readFileSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { isModelFolder, loadConfig } from '@espalier/config';

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
  const { name, model } = value as { name?: unknown; model?: { use?: unknown } };
  const use = typeof model?.use === 'string' ? model.use : '';
  const overrides = [
    ...(name === undefined && fileName !== undefined ? [`name=${fileName}`] : []),
    ...(isModelFolder(use) && !isAbsolute(use) ? [`model.use=${JSON.stringify(resolve(use))}`] : []),
  ];
  return { source: readFileSync(path, 'utf8'), overrides: [...overrides, ...set] };
}
