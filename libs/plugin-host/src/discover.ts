/**
 * @file Finds plugins: every package folder `plugins/<kind>/<name>`, and the npm packages that `config/plugins.yaml`
 * names. Nothing else is ever loaded. Start-up is strict: the first package that breaks a rule stops it. Packages of
 * others are loaded in a process of their own.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { parse } from 'yaml';
import { guardDefinition } from './guard-definition.js';
import { openIsolatedPackage } from './isolation/isolate-plugins.js';
import { buildIsolated, defaultCallTimeoutMs, isIsolatable } from './isolation/isolated-definitions.js';
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
  const own = pluginFolders(resolve(root));
  const foreign = packageFolders(resolve(root), file).filter((folder) => !own.includes(folder));
  const installed: InstalledPlugin[] = [];
  for (const folder of own) installed.push(...(await openOwn(folder)));
  for (const folder of new Set(foreign)) installed.push(...(await openForeign(folder)));
  return createRegistry(installed);
}

/** A package of others runs in a process of its own, unless it also defines what cannot. */
async function openForeign(folder: string): Promise<InstalledPlugin[]> {
  const { link, described } = await openIsolatedPackage(folder);
  if (described.definitions.every(({ kind }) => isIsolatable(kind))) {
    const source = { package: described.package, version: described.version, folder };
    return described.definitions.map((known) => ({
      ...{ definition: buildIsolated(link, known, defaultCallTimeoutMs), source, isolation: 'process' },
    }));
  }
  await link.dispose();
  return openOwn(folder);
}

async function openOwn(folder: string): Promise<InstalledPlugin[]> {
  const { source, exported } = await loadPackage(folder);
  return validateExport(exported, source).map((definition) => ({
    ...{ definition: guardDefinition(definition), source, isolation: 'none' },
  }));
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
