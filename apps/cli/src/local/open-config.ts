/** @file A configuration with its plugins: those of the workspace, and the folders that it names under `plugins` itself. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { applyOverrides, type ConfigInput, loadConfig } from '@espalier/config';
import { AppError } from '@espalier/contracts';
import type { Console } from '../console.js';
import { loadRegistry, type Registry } from '../workspace.js';
import { requireKind } from './config-kind.js';

export interface OpenedConfig {
  /** overrides applied, plugin folders absolute */
  readonly input: ConfigInput;
  readonly registry: Registry;
}

/**
 * Reads a configuration with overrides and loads the plugins that it can use.
 *
 * @throws config.unreadable; plugin.unreadable when a folder under `plugins` is missing or cannot be loaded
 */
export async function openConfig(
  source: string | ConfigInput,
  overrides: readonly string[],
  console: Console,
): Promise<OpenedConfig> {
  const input = readConfig(source, overrides);
  return { input, registry: await loadRegistry(console, listFolders(input.value['plugins'])) };
}

/** Like openConfig, with one registry for several. */
export async function openConfigs(
  sources: readonly (string | ConfigInput)[],
  overrides: readonly string[],
  console: Console,
): Promise<{ readonly inputs: readonly ConfigInput[]; readonly registry: Registry }> {
  const inputs = sources.map((source) => readConfig(source, overrides));
  const folders = inputs.flatMap(({ value }) => listFolders(value['plugins']));
  return { inputs, registry: await loadRegistry(console, [...new Set(folders)]) };
}

function readConfig(source: string | ConfigInput, overrides: readonly string[]): ConfigInput {
  const input = typeof source === 'string' ? loadConfig(source) : source;
  requireKind(input, 'run');
  return locatePlugins(applyOverrides(input, overrides));
}

/** What is no list of texts is reported when the configuration is resolved. */
const listFolders = (plugins: unknown): readonly string[] =>
  Array.isArray(plugins) && plugins.every((one) => typeof one === 'string') ? plugins : [];

/** Makes the folders absolute, so that they mean the same in the spec of the run, wherever that is read. */
function locatePlugins(input: ConfigInput): ConfigInput {
  const named = listFolders(input.value['plugins']);
  if (named.length === 0) return input;
  const plugins = named.map((path, index) => {
    const key = `plugins.${index}`;
    const isOverride = [key, 'plugins'].some((path) => input.origins.get(path) === '--set');
    const folder = resolve(isOverride ? '.' : dirname(input.file), path);
    if (existsSync(join(folder, 'package.json'))) return folder;
    const place = isOverride ? '--set' : `${input.file}:${input.positions.get('plugins') ?? '1:1'}`;
    const finding = existsSync(folder) ? 'has no package.json' : 'does not exist';
    throw new AppError(
      'plugin.unreadable',
      `${place}: ${key} "${path}": the folder ${folder} ${finding}; name the folder of a plugin package, or an installed package in config/plugins.yaml`,
    );
  });
  return { ...input, value: { ...input.value, plugins } };
}
