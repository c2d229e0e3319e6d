/**
 * @file Finds plugin packages: the folders `plugins/<kind>/<name>`, and the npm packages that a file names. A folder
 * that looks like a plugin but is not one is reported, never skipped silently.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { AppError } from '@espalier/contracts';
import { findPackage } from '@espalier/files';
import { parse } from 'yaml';
import type { PluginKind, PluginOrigin } from './plugin-types.js';

/** A folder or package name where a plugin is expected. */
export interface FoundPackage {
  /** absolute; undefined for a package that is not installed */
  readonly folder: string | undefined;
  /** the name in the list of packages, or of the folder */
  readonly name: string;
  readonly origin: PluginOrigin;
  /** implied by its folder; undefined for npm packages */
  readonly kind: PluginKind | undefined;
  /** why it cannot be opened */
  readonly error?: AppError;
}

const kindOfFolder: Readonly<Record<string, PluginKind>> = {
  environments: 'environment',
  rewards: 'reward',
  algorithms: 'algorithm',
  models: 'model',
};

/** Lists the folders under `plugins/` of a root, by name. */
export function findPluginFolders(root: string): FoundPackage[] {
  return foldersIn(join(root, 'plugins')).flatMap((place) => {
    const isPackage = existsSync(join(place, 'package.json'));
    if (!isPackage) return foldersIn(place).map((folder) => describeFolder(folder, basename(place)));
    const finding =
      'it is directly in plugins/; move it to plugins/<kind>/<name>, such as plugins/environments/maze';
    return [{ ...describeFolder(place, ''), error: unreadable(`load plugin "${place}": ${finding}`) }];
  });
}

function describeFolder(folder: string, place: string): FoundPackage {
  const found = { folder, name: basename(folder), origin: 'folder', kind: kindOfFolder[place] } as const;
  if (existsSync(join(folder, 'package.json'))) return found;
  const finding =
    'package.json is missing; write one (docs/use/writing-an-environment.md) or remove the folder';
  return { ...found, error: unreadable(`load plugin "${folder}": ${finding}`) };
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const isFolder = (path: string): boolean =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  return readdirSync(folder)
    .filter((name) => name !== 'node_modules' && !name.startsWith('.'))
    .map((name) => join(folder, name))
    .filter(isFolder)
    .sort();
}

/**
 * Lists what a file names: npm packages, resolved from the root upwards, and folders, relative to the root.
 *
 * @throws plugin.unreadable when the file is invalid
 */
export function findNamedPackages(root: string, file: string): FoundPackage[] {
  return packageNames(file).map((name) => {
    const found = { name, origin: 'package', kind: undefined } as const;
    if (isPath(name)) return describeNamedFolder(found, resolve(root, name), file);
    const folder = findPackage(name, root);
    if (folder !== undefined) return { ...found, folder };
    const finding = `it is not installed; run npm install ${name} or remove the line`;
    const error = unreadable(`load plugin package "${name}" named in ${file}: ${finding}`);
    return { ...found, folder, error };
  });
}

/** npm package names start with neither a dot nor a slash. */
const isPath = (name: string): boolean => /^(\.|\/|[A-Za-z]:[\\/])/.test(name);

function describeNamedFolder(
  found: Pick<FoundPackage, 'name' | 'origin' | 'kind'>,
  folder: string,
  file: string,
): FoundPackage {
  if (existsSync(join(folder, 'package.json'))) return { ...found, folder };
  const finding = existsSync(folder)
    ? 'package.json is missing; write one (`espalier plugin new` creates an example)'
    : 'the folder does not exist; correct the path, which is relative to the workspace, or remove the line';
  return {
    ...found,
    folder: undefined,
    error: unreadable(`load plugin "${folder}" named in ${file}: ${finding}`),
  };
}

function packageNames(file: string): string[] {
  if (!existsSync(file)) return [];
  let content: unknown;
  try {
    content = parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    throw unreadable(`read ${file}: not valid YAML; expected a list under "packages"`, cause);
  }
  const known =
    content === null ||
    (typeof content === 'object' && Object.keys(content).every((key) => key === 'packages'));
  const names = ((content ?? {}) as { packages?: unknown }).packages ?? [];
  if (!known || !Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw unreadable(
      `read ${file}: expected the single key "packages" with a list of npm package names and folders`,
    );
  return names as string[];
}

const unreadable = (message: string, cause?: unknown): AppError =>
  new AppError('plugin.unreadable', message, { cause });
