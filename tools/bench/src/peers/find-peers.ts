/** @file Checks the Python interpreter, the peer programs and their packages before anything long starts. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { PeerProgram } from './peer-pairs.js';

/** The interpreter of the peers, and their versions. */
export interface FoundPeers {
  readonly python: string;
  readonly folder: string;
  readonly versions: Readonly<Record<string, string>>;
}

/** Packages whose versions are shown with the figures. */
const shown = ['torch', 'transformers', 'trl', 'gymnasium', 'gym-sokoban', 'numpy'];

/**
 * Finds interpreter, programs and packages.
 *
 * @param environment folder of a Python virtual environment
 * @param folder      of the programs
 * @throws bench.peers_missing naming what is missing and what to do
 */
export function findPeers(environment: string, folder: string, programs: readonly PeerProgram[]): FoundPeers {
  const python = findPython(environment);
  for (const { file } of programs) {
    if (!existsSync(join(folder, file)))
      throw missing(
        `no program "${file}" in "${folder}"; name the folder of the peer programs with --peer-programs`,
      );
  }
  const needed = [...new Set(programs.flatMap(({ packages }) => packages))];
  const versions = readVersions(python, [...new Set([...needed, ...shown])]);
  const absent = needed.filter((name) => versions[name] === undefined);
  if (absent.length > 0) {
    throw missing(
      `"${environment}" lacks the Python package${absent.length > 1 ? 's' : ''} ${absent.join(', ')}; ` +
        `install with: ${python} -m pip install ${absent.join(' ')}`,
    );
  }
  return { python, folder, versions };
}

function findPython(environment: string): string {
  const places = [join(environment, 'bin', 'python'), join(environment, 'Scripts', 'python.exe')];
  const python = places.find((place) => existsSync(place));
  if (python !== undefined) return python;
  throw missing(
    `no Python at "${places[0]}"; make a virtual environment (python3 -m venv "${environment}") and install ` +
      `torch transformers trl accelerate datasets gymnasium gym gym-sokoban "setuptools<80" in it`,
  );
}

/** Asks the interpreter for installed versions without importing anything large. */
function readVersions(python: string, names: readonly string[]): Record<string, string> {
  const script = [
    'import importlib.metadata as m, json, sys',
    'found = {}',
    'for name in sys.argv[1:]:',
    '    try: found[name] = m.version(name)',
    '    except m.PackageNotFoundError: pass',
    'print(json.dumps(found))',
  ].join('\n');
  const { status, stdout, stderr, error } = spawnSync(python, ['-c', script, ...names], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  try {
    if (status === 0) return JSON.parse(stdout) as Record<string, string>;
  } catch {
    // said below
  }
  const finding = error?.message ?? lastLine(stderr) ?? `exit code ${status}`;
  throw missing(`"${python}" cannot list its packages: ${finding}; repair the virtual environment`);
}

/** The last non-empty line. */
export function lastLine(text: string): string | undefined {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .findLast((line) => line !== '');
}

function missing(finding: string): AppError {
  return new AppError('bench.peers_missing', `bench --peers: ${finding}`);
}
