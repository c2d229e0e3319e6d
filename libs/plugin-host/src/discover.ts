/**
 * @file Loads plugins: every package folder `plugins/<kind>/<name>`, the npm packages that `config/plugins.yaml`
 * names, folders that a configuration names, and those that come with Espalier. Nothing else is ever loaded. A package
 * that breaks a rule is left out and listed as broken: everything that does not need it works, and using it throws the
 * reason. Third-party packages are loaded in their own process.
 */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppError, isAppError } from '@espalier/contracts';
import { findBuiltInPlugins } from './built-in.js';
import { findNamedPackages, findPluginFolders, type FoundPackage } from './find-packages.js';
import { guardDefinition } from './guard-definition.js';
import { openIsolatedPackage } from './isolation/isolate-plugins.js';
import { buildIsolated, defaultCallTimeoutMs, isIsolatable } from './isolation/isolated-definitions.js';
import { loadPackage } from './load-package.js';
import type { BrokenPlugin } from './plugin-types.js';
import { createRegistry, type InstalledPlugin, type PluginRegistry } from './registry.js';
import { validateExport } from './validate.js';

export interface DiscoverOptions {
  /** folder that contains `plugins/` and `node_modules/` */
  readonly root: string;
  /** default `<root>/config/plugins.yaml`; may be missing */
  readonly configFile?: string;
  /** package folders besides those that the file names, absolute */
  readonly folders?: readonly string[];
  /** also loads the plugins that come with Espalier; a package of the same name in the workspace replaces one */
  readonly withBuiltIn?: boolean;
}

/**
 * Loads and validates all plugins; the registry returns guarded definitions (see boundary.ts).
 *
 * @throws plugin.unreadable when the list of packages is invalid
 */
export async function discoverPlugins(options: DiscoverOptions): Promise<PluginRegistry> {
  const { root, folders = [], withBuiltIn = false } = options;
  const file = options.configFile ?? join(root, 'config', 'plugins.yaml');
  const inWorkspace = findPluginFolders(resolve(root));
  const own = withBuiltIn ? [...inWorkspace, ...findMissingBuiltIn(inWorkspace)] : inWorkspace;
  const known = new Set(own.map(({ folder }) => folder));
  const named = [
    ...findNamedPackages(resolve(root), file),
    ...folders.map((folder): FoundPackage => ({ folder, name: folder, origin: 'package', kind: undefined })),
  ];
  // a folder may be named in several ways, such as by its path and by its link in node_modules
  const places = named.map(({ folder, name }) =>
    folder !== undefined && existsSync(folder) ? realpathSync(folder) : name,
  );
  const thirdParty = named.filter(
    ({ folder }, index) => !known.has(folder) && places.indexOf(places[index] ?? '') === index,
  );
  const installed: InstalledPlugin[] = [];
  const broken: BrokenPlugin[] = [];
  for (const found of [...own, ...thirdParty]) {
    try {
      installed.push(...(await loadFound(found)));
    } catch (error) {
      broken.push(describeBroken(found, error));
    }
  }
  return createRegistry(installed, broken);
}

/** The built-in plugins whose packages the workspace does not have itself. */
function findMissingBuiltIn(present: readonly FoundPackage[]): FoundPackage[] {
  const nameAt = (folder: string | undefined): unknown =>
    folder === undefined ? undefined : readManifest(folder)['name'];
  const names = new Set(present.map(({ folder }) => nameAt(folder)));
  return findBuiltInPlugins()
    .filter(({ folder }) => !names.has(nameAt(folder)))
    .map(({ kind, id, folder }) => ({ kind, name: id, folder, origin: 'folder' }));
}

async function loadFound({ folder, origin, error }: FoundPackage): Promise<InstalledPlugin[]> {
  if (error !== undefined) throw error;
  if (folder === undefined) return [];
  const opened = await (origin === 'folder' ? loadInProcess(folder) : loadThirdParty(folder));
  return opened.map((plugin) => ({ ...plugin, origin }));
}

/** A third-party package runs in its own process, unless it also defines a kind that cannot. */
async function loadThirdParty(folder: string): Promise<InstalledPlugin[]> {
  const { link, described } = await openIsolatedPackage(folder);
  if (described.definitions.every(({ kind }) => isIsolatable(kind))) {
    const source = { package: described.package, version: described.version, folder };
    return described.definitions.map((known) => ({
      definition: buildIsolated(link, known, defaultCallTimeoutMs),
      source,
      isolation: 'process',
    }));
  }
  await link.dispose();
  return loadInProcess(folder);
}

async function loadInProcess(folder: string): Promise<InstalledPlugin[]> {
  const { source, exported } = await loadPackage(folder);
  return validateExport(exported, source).map((definition) => ({
    definition: guardDefinition(definition),
    source,
    isolation: 'none',
  }));
}

function describeBroken({ folder, name, origin, kind }: FoundPackage, cause: unknown): BrokenPlugin {
  const manifest = folder === undefined ? {} : readManifest(folder);
  const text = (key: string): string | undefined => {
    const value = manifest[key];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const finding = cause instanceof Error ? cause.message : String(cause);
  const error = isAppError(cause)
    ? cause
    : new AppError('plugin.unreadable', `load plugin "${folder ?? name}": ${finding}; fix the package`, {
        cause,
      });
  return {
    kind,
    id: origin === 'folder' ? name : undefined,
    package: text('name') ?? name,
    version: text('version'),
    folder,
    origin,
    error,
  };
}

/** Name and version for the list; an unreadable file has been reported already. */
function readManifest(folder: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
