/** @file Libraries that the machine has, by name: of folders that the user named, or where the dynamic linker looks. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Where to look. */
export interface MachineLibraries {
  /** a folder with libraries, or a Python environment with NVIDIA's packages; default: the machine's own places */
  readonly folder?: string;
}

/** Finds libraries by file name; undefined where there is none. */
export type LibraryFinder = (name: string) => string | undefined;

/** Looks through the folder of the user alone, or through all places of the machine. */
export function createLibraryFinder(
  { folder }: MachineLibraries,
  environment: NodeJS.ProcessEnv = process.env,
): LibraryFinder {
  const folders = folder === undefined ? foldersOf(environment) : foldersBelow(folder);
  const known = folder === undefined ? readLinkerCache() : new Map<string, string>();
  return (name) =>
    folders.map((place) => resolve(place, name)).find((file) => existsSync(file)) ?? known.get(name);
}

function foldersOf({ LD_LIBRARY_PATH: path = '', VIRTUAL_ENV: python = '' }: NodeJS.ProcessEnv): string[] {
  return [
    ...path.split(':').filter((folder) => folder !== ''),
    ...(python === '' ? [] : foldersBelow(python)),
    '/usr/local/cuda/lib64',
  ];
}

/** A folder itself, a toolkit's, and the packages of NVIDIA in a Python environment or in its site-packages. */
function foldersBelow(folder: string): string[] {
  const lib = join(folder, 'lib');
  const sites = list(lib)
    .filter((name) => name.startsWith('python3'))
    .map((name) => join(lib, name, 'site-packages'));
  const packages = [folder, ...sites]
    .map((place) => join(place, 'nvidia'))
    .flatMap((place) => list(place).map((name) => join(place, name, 'lib')));
  return [folder, lib, join(folder, 'lib64'), ...packages];
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** What the dynamic linker knows: `name (libc6,x86-64) => path`. Empty where there is no ldconfig. */
function readLinkerCache(): Map<string, string> {
  const known = new Map<string, string>();
  try {
    const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
    const options = { encoding: 'utf8', env: { ...process.env, PATH, LC_ALL: 'C' } } as const;
    const text = execFileSync('ldconfig', ['-p'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    for (const line of text.split('\n')) {
      const [entry = '', path] = line.trim().split(' => ');
      const [name = '', kind = ''] = entry.split(' ');
      if (path !== undefined && kind.startsWith('(libc6,x86-64') && !known.has(name)) known.set(name, path);
    }
  } catch {
    // another system, or none for this user
  }
  return known;
}
