/** @file The plugins that a training process finds, with the versions needed to reproduce a run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findWorkspace } from '@espalier/config';
import { listSections } from '@espalier/config/plain';
import { findBuiltInPlugins, findNamedPackages, hashPackage } from '@espalier/plugin-host';
import type { PluginVersion } from '@espalier/protocol';

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

function manifestAt(folder: string): Manifest {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

const folders = { environment: 'environments', algorithm: 'algorithms', model: 'models', reward: 'rewards' };

/**
 * Lists the plugins that a spec names, from the workspace or the installation, and the installed packages. If no folder
 * has the name of a plugin, it lists all external plugins of that kind.
 */
export function listPlugins(spec: Readonly<Record<string, unknown>>): PluginVersion[] {
  const root = findWorkspace();
  const sections = listSections(spec).map(({ value }) => value);
  const rewards = sections.flatMap((own) =>
    Array.isArray(own['rewards']) ? (own['rewards'] as unknown[]) : [],
  );
  const chosen = [
    ...sections.map((own) => ['environment', own['environment']] as const),
    ...sections.map((own) => ['algorithm', own['algorithm']] as const),
    ['model', spec['model']] as const,
    ...rewards.map((reward) => ['reward', reward] as const),
  ];
  const builtIns = findBuiltInPlugins();
  const own = chosen.flatMap(([kind, choice]): PluginVersion[] => {
    const id = (choice as { use?: unknown } | undefined)?.use;
    if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(id)) return [];
    const folder = join(root, 'plugins', folders[kind], id);
    if (existsSync(folder)) return [describePackage(kind, id, folder)];
    const builtIn = builtIns.find((found) => found.kind === kind && found.id === id);
    if (builtIn !== undefined) return [describePackage(kind, id, builtIn.folder)];
    return findExternal(root, kind).map((found) => describePackage(found.kind, found.id, found.folder));
  });
  const all = [...own, ...listPackages(root)];
  return all.filter(({ kind, id }, at) => all.findIndex((one) => one.kind === kind && one.id === id) === at);
}

/** An external plugin and its folder. */
export interface ExternalPlugin {
  readonly kind: PluginVersion['kind'];
  readonly id: string;
  readonly folder: string;
}

/** Finds all external plugins, of one kind or of every kind; `id` is the name of the folder. */
export function findExternal(root: string, only?: string): ExternalPlugin[] {
  const own = (Object.entries(folders) as [keyof typeof folders, string][]).flatMap(([kind, place]) => {
    const parent = join(root, 'plugins', place);
    if ((only !== undefined && only !== kind) || !existsSync(parent)) return [];
    return readdirSync(parent)
      .sort()
      .map((id) => ({ kind, id, folder: join(parent, id) }));
  });
  const packages = only === undefined ? findPackages(root) : [];
  return [...own, ...packages].filter(
    ({ folder }) => existsSync(join(folder, 'package.json')) && isExternal(manifestAt(folder)),
  );
}

const isExternal = ({ name }: Manifest): boolean => name?.startsWith('@espalier/') !== true;

/** Lists the packages in `config/plugins.yaml`; which plugins they contain is known only after loading them. */
function listPackages(root: string): PluginVersion[] {
  return findPackages(root).map(({ kind, id, folder }) => describePackage(kind, id, folder));
}

function findPackages(root: string): ExternalPlugin[] {
  return findNamedPackages(root, join(root, 'config', 'plugins.yaml')).flatMap(({ name, folder }) =>
    folder === undefined ? [] : [{ kind: 'package', id: name, folder }],
  );
}

/** Describes the version of a plugin in a folder. */
export function describePackage(kind: PluginVersion['kind'], id: string, folder: string): PluginVersion {
  const manifest = manifestAt(folder);
  const version = { kind, id, version: manifest.version ?? 'unknown', sha256: hashPackage(folder) };
  return isExternal(manifest) ? { ...version, isExternal: true } : version;
}
