/**
 * @file Finds plugins: every package folder `plugins/<kind>/<name>`, and the npm packages that `config/plugins.yaml`
 * names. Nothing else is ever loaded. Start-up is strict: the first package that breaks a rule stops it.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { parse } from 'yaml';
import type { AnyDefinition } from './definition-kinds.js';
import { guardAlgorithm } from './guard-algorithm.js';
import { guardEnvironment } from './guard-environment.js';
import { guardModel, guardReward } from './guard-reward.js';
import { loadPackage } from './load-package.js';
import { createRegistry, type InstalledPlugin, type PluginRegistry } from './registry.js';
import { validateExport } from './validate.js';

export interface DiscoverOptions {
  /** folder that holds `plugins/` and `node_modules/` */
  readonly root: string;
  /** default `<root>/config/plugins.yaml`; may be missing */
  readonly configFile?: string;
}

/**
 * Loads and checks all plugins; what the registry gives out is guarded (see boundary.ts).
 *
 * @throws plugin.unreadable, plugin.invalid_definition, plugin.version_mismatch, plugin.duplicate_id
 */
export async function discoverPlugins({ root, configFile }: DiscoverOptions): Promise<PluginRegistry> {
  const file = configFile ?? join(root, 'config', 'plugins.yaml');
  const folders = [...pluginFolders(resolve(root)), ...packageFolders(resolve(root), file)];
  const installed: InstalledPlugin[] = [];
  for (const folder of new Set(folders)) {
    const { source, exported } = await loadPackage(folder);
    for (const definition of validateExport(exported, source)) {
      installed.push({ definition: guardDefinition(definition), source });
    }
  }
  return createRegistry(installed);
}

/** Wraps a definition of any kind so that its errors are attributed. */
export function guardDefinition(definition: AnyDefinition): AnyDefinition {
  switch (definition.kind) {
    case 'environment':
      return guardEnvironment(definition);
    case 'reward':
      return guardReward(definition);
    case 'algorithm':
      return guardAlgorithm(definition);
    case 'model':
      return guardModel(definition);
  }
}

/** Folders `plugins/<kind>/<name>` with a package.json, by name. */
function pluginFolders(root: string): string[] {
  const plugins = join(root, 'plugins');
  return foldersIn(plugins)
    .flatMap(foldersIn)
    .filter((folder) => existsSync(join(folder, 'package.json')));
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && entry.name !== 'node_modules')
    .map((entry) => join(folder, entry.name))
    .sort();
}

function packageFolders(root: string, file: string): string[] {
  return packageNames(file).map((name) => {
    for (let folder = root; ; folder = dirname(folder)) {
      const candidate = join(folder, 'node_modules', name);
      if (existsSync(join(candidate, 'package.json'))) return candidate;
      if (folder === dirname(folder)) break;
    }
    throw new AppError(
      'plugin.unreadable',
      `load plugin package "${name}" named in ${file}: it is not installed; run npm install ${name}, or remove the line`,
      { details: { package: name, file } },
    );
  });
}

function packageNames(file: string): string[] {
  if (!existsSync(file)) return [];
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw new AppError(
      'plugin.unreadable',
      `read ${file}: it is not YAML; expected a list under "packages"`,
      { cause },
    );
  }
  const known =
    content === null ||
    (typeof content === 'object' && Object.keys(content).every((key) => key === 'packages'));
  const names = ((content ?? {}) as { packages?: unknown }).packages ?? [];
  if (!known || !Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
    throw new AppError(
      'plugin.unreadable',
      `read ${file}: expected the one key "packages" with a list of npm package names`,
      {
        details: { file },
      },
    );
  }
  return names as string[];
}
