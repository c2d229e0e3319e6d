/**
 * @file Where Espalier is installed: as npm packages below some `node_modules`, or as a clone of the repository. All
 * packages of an installation find the same place, wherever they lie themselves.
 */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPackage } from '@espalier/files';

/** An installation of Espalier. */
export interface Installation {
  /** holds `config/` and `docs/` as they come with Espalier: the package, or in a clone the repository */
  readonly folder: string;
  /** entry script of the command line */
  readonly program: string;
  readonly isClone: boolean;
}

const here = dirname(fileURLToPath(import.meta.url));

/** Finds the installation that this library belongs to. */
export function findInstallation(from: string = here): Installation {
  const clone = from.split(sep).includes('node_modules') ? undefined : findClone(from);
  const folder = clone ?? findPackage('espalier', from) ?? from;
  const program = join(folder, ...(clone === undefined ? [] : ['apps', 'cli']), 'dist', 'main.js');
  return { folder, program, isClone: clone !== undefined };
}

function findClone(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (['plugins', 'libs', 'package.json'].every((name) => existsSync(join(folder, name)))) return folder;
    if (folder === dirname(folder)) return undefined;
  }
}

/** Where plugins of the user are looked for: the present folder if it is a workspace, else the clone, if it is one. */
export function findWorkspace(): string {
  const isWorkspace = ['plugins', 'config/plugins.yaml'].some((name) => existsSync(name));
  const { folder, isClone } = findInstallation();
  return isWorkspace || !isClone ? resolve('.') : folder;
}

/** Versions of Node, Espalier and the runtime, by name; one that is not installed is left out. */
export function listVersions(): Record<string, string> {
  const espalier = versionAt(dirname(dirname(findInstallation().program))) ?? 'unknown';
  const runtime = versionAt(findPackage('onnxruntime-node', findPackage('@espalier/runtime', here) ?? here));
  const versions = { node: process.versions.node, espalier };
  return runtime === undefined ? versions : { ...versions, 'onnxruntime-node': runtime };
}

function versionAt(folder: string | undefined): string | undefined {
  if (folder === undefined) return undefined;
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: string }).version;
  } catch {
    return undefined;
  }
}

/** Git revision of a clone, ending in `-changed` if files were modified; null where Espalier came as packages. */
export async function findRevision(): Promise<string | null> {
  const { folder, isClone } = findInstallation();
  if (!isClone) return null;
  const git = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('git', words, { cwd: folder, timeout: 5000 })).stdout.trim();
  try {
    const isChanged = (await git('status', '--porcelain', '--untracked-files=no')) !== '';
    return `${await git('rev-parse', 'HEAD')}${isChanged ? '-changed' : ''}`;
  } catch {
    return null;
  }
}
