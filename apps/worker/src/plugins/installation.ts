/** @file Where Espalier is installed, and the versions that somebody needs to reproduce a run. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadConfig } from '@espalier/config';
import type { PluginVersion } from '@espalier/protocol';

/** Folder of the installation: the nearest one above this file that has `plugins/`. */
export function installationRoot(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const isRoot = existsSync(join(folder, 'plugins')) && existsSync(join(folder, 'package.json'));
    if (isRoot || folder === dirname(folder)) return folder;
  }
}

/** Entry script of the command line in this installation. */
export const defaultCli = (): string => join(installationRoot(), 'apps', 'cli', 'dist', 'main.js');

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

function manifestAt(...path: readonly string[]): Manifest {
  try {
    return JSON.parse(readFileSync(join(...path, 'package.json'), 'utf8')) as Manifest;
  } catch {
    return {};
  }
}

const versionAt = (...path: readonly string[]): string | undefined => manifestAt(...path).version;

/** Versions of Node, Espalier and the runtime, by name. */
export function listVersions(): Record<string, string> {
  const root = installationRoot();
  const runtime = versionAt(root, 'node_modules', 'onnxruntime-node');
  return {
    node: process.versions.node,
    espalier: versionAt(root, 'apps', 'worker') ?? 'unknown',
    ...(runtime === undefined ? {} : { 'onnxruntime-node': runtime }),
  };
}

/** Git revision of the installation, ending in `-changed` if files were modified; null if it is not a checkout. */
export async function findRevision(): Promise<string | null> {
  const git = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('git', words, { cwd: installationRoot() })).stdout.trim();
  try {
    const isChanged = (await git('status', '--porcelain', '--untracked-files=no')) !== '';
    return `${await git('rev-parse', 'HEAD')}${isChanged ? '-changed' : ''}`;
  } catch {
    return null;
  }
}

const folders = { environment: 'environments', algorithm: 'algorithms', model: 'models', reward: 'rewards' };

/** Where a training process finds plugins: the workspace, or else the installation. */
export function pluginRoot(): string {
  const here = process.cwd();
  const isWorkspace = ['plugins', 'config/plugins.yaml'].some((name) => existsSync(join(here, name)));
  return isWorkspace ? here : installationRoot();
}

/**
 * Lists the plugins that a spec names, from the workspace or the installation, and the installed packages. If no folder
 * has the name of a plugin, it lists all external plugins of that kind.
 */
export function listPlugins(spec: Readonly<Record<string, unknown>>): PluginVersion[] {
  const root = pluginRoot();
  const rewards = Array.isArray(spec['rewards']) ? (spec['rewards'] as unknown[]) : [];
  const chosen = [
    ...(['environment', 'algorithm', 'model'] as const).map((kind) => [kind, spec[kind]] as const),
    ...rewards.map((reward) => ['reward', reward] as const),
  ];
  const own = chosen.flatMap(([kind, choice]): PluginVersion[] => {
    const id = (choice as { use?: unknown } | undefined)?.use;
    if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(id)) return [];
    const folder = join(root, 'plugins', folders[kind], id);
    if (existsSync(folder)) return [describePackage(kind, id, folder)];
    return findExternal(root, kind).map((found) => describePackage(found.kind, found.id, found.folder));
  });
  const all = [...own, ...listPackages(root)];
  return all.filter(({ kind, id }, at) => all.findIndex((one) => one.kind === kind && one.id === id) === at);
}

/** An external plugin and its folder. */
export interface ExternalPlugin {
  readonly kind: string;
  readonly id: string;
  readonly folder: string;
}

/** Finds all external plugins, of one kind or of every kind; `id` is the name of the folder. */
export function findExternal(root: string, only?: string): ExternalPlugin[] {
  const own = Object.entries(folders).flatMap(([kind, place]) => {
    const parent = join(root, 'plugins', place);
    if ((only !== undefined && only !== kind) || !existsSync(parent)) return [];
    return readdirSync(parent)
      .sort()
      .map((id) => ({ kind, id, folder: join(parent, id) }));
  });
  const packages = only === undefined ? findPackages(root) : [];
  return [...own, ...packages].filter(
    ({ folder }) => existsSync(join(folder, 'package.json')) && isExternal(folder),
  );
}

const isExternal = (folder: string): boolean => manifestAt(folder).name?.startsWith('@espalier/') !== true;

/** Lists the packages in `config/plugins.yaml`; which plugins they contain is known only after loading them. */
function listPackages(root: string): PluginVersion[] {
  return findPackages(root).map(({ kind, id, folder }) => describePackage(kind, id, folder));
}

function findPackages(root: string): ExternalPlugin[] {
  const file = join(root, 'config', 'plugins.yaml');
  const listed = existsSync(file) ? loadConfig(file).value['packages'] : [];
  const names = Array.isArray(listed) ? listed.filter((name) => typeof name === 'string') : [];
  return names.flatMap((name) => {
    const folder = join(root, 'node_modules', ...name.split('/'));
    return existsSync(folder) ? [{ kind: 'package', id: name, folder }] : [];
  });
}

/** Describes the version of a plugin in a folder. */
export function describePackage(kind: string, id: string, folder: string): PluginVersion {
  const version = { kind, id, version: versionAt(folder) ?? 'unknown', sha256: hashFolder(folder) };
  return isExternal(folder) ? { ...version, isExternal: true } : version;
}

/** Hashes names and contents of all files of a package, except its own dependencies. */
export function hashFolder(folder: string): string {
  const hash = createHash('sha256');
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((name) => !/(^|\/)(node_modules|\.git)\//.test(name) && !name.endsWith('.tsbuildinfo'))
    .sort();
  for (const name of files)
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(folder, name)))
      .update('\0');
  return hash.digest('hex');
}
