/**
 * @file Where each wheel of a library comes from: libraries that the machine has, a file of the user, pip's folders and
 * pages, pip's indexes; in this order.
 */
import { basename } from 'node:path';
import { AppError } from '@espalier/contracts';
import type { PinnedLibrary, PinnedWheel } from '@espalier/runtime';
import { findEntry, hashOf, wrongHash } from './check-file.js';
import type { WheelPlace } from './find-links.js';
import { findWheel } from './find-wheel.js';
import { createLibraryFinder, type LibraryFinder, type MachineLibraries } from './machine-libraries.js';
import type { PipSettings } from './pip-settings.js';

/** Libraries of the machine, by name, that stand for those of a wheel. */
export type Links = Readonly<Record<string, string>>;

export interface WheelSource {
  readonly wheel: PinnedWheel;
  readonly from: WheelPlace | { readonly links: Links };
}

export interface SourceOptions {
  /** wheels that the user has */
  readonly wheels?: readonly string[];
  /** take what the machine has of what others install as well */
  readonly machine?: MachineLibraries;
  /** told which libraries the machine lacks, before what they belong to is fetched */
  readonly onAbsent?: (files: readonly string[]) => void;
  readonly settings: PipSettings;
  readonly operation: string;
  readonly signal: AbortSignal;
}

/** @throws setup.no_source, setup.unreachable, setup.wrong_file */
export async function chooseSources(library: PinnedLibrary, options: SourceOptions): Promise<WheelSource[]> {
  const { operation, signal, settings } = options;
  const links = findLinks(library, options);
  const given = await matchGiven(library, options);
  const request = { operation, signal, certificate: settings.certificate };
  const sources: WheelSource[] = [];
  for (const wheel of library.wheels) {
    const linked = links.get(wheel);
    const file = given.get(wheel);
    if (linked !== undefined) sources.push({ wheel, from: { links: linked } });
    else if (file !== undefined) sources.push({ wheel, from: { file } });
    else sources.push({ wheel, from: await findWheel(wheel, settings, request) });
  }
  return sources;
}

/** The wheels that the machine's libraries stand for; each whole or not at all. */
function findLinks(
  { wheels }: PinnedLibrary,
  { machine, onAbsent, operation }: SourceOptions,
): ReadonlyMap<PinnedWheel, Links> {
  const found = new Map<PinnedWheel, Links>();
  if (machine === undefined) return found;
  const { folder } = machine;
  if (folder !== undefined) {
    const attempt = `${operation}: --cuda-libraries ${folder}`;
    const remedy = "name a toolkit, or a Python environment with NVIDIA's packages for CUDA 13";
    if (findEntry(folder, { attempt, remedy })?.isDirectory() !== true)
      throw new AppError('setup.no_source', `${attempt}: no such folder; ${remedy}`, { details: { folder } });
  }
  const find = createLibraryFinder(machine);
  const possible = wheels.filter(({ isOftenInstalled }) => isOftenInstalled === true);
  for (const wheel of possible) {
    const links = linksOf(wheel, find);
    if (links !== undefined) found.set(wheel, links);
  }
  const names = possible.flatMap(({ members }) => members.map((member) => basename(member)));
  if (folder !== undefined && found.size === 0)
    throw new AppError(
      'setup.no_source',
      `${operation}: ${folder} has none of ${names.join(', ')}; name a folder with them, or a Python environment with NVIDIA's packages for CUDA 13`,
      { details: { folder } },
    );
  const absent = names.filter((name) => find(name) === undefined);
  if (absent.length > 0) onAbsent?.(absent);
  return found;
}

function linksOf({ members }: PinnedWheel, find: LibraryFinder): Links | undefined {
  const pairs = members.map((member) => [basename(member), find(basename(member))] as const);
  return pairs.every((pair): pair is [string, string] => pair[1] !== undefined)
    ? Object.fromEntries(pairs)
    : undefined;
}

/** The files that the user gave, by the wheel that they are. */
async function matchGiven(
  library: PinnedLibrary,
  { wheels: given = [], operation }: SourceOptions,
): Promise<ReadonlyMap<PinnedWheel, string>> {
  const found = new Map<PinnedWheel, string>();
  for (const file of given) {
    const attempt = `${operation}: --wheel ${file}`;
    const subject = { attempt, remedy: 'name the wheel, as a file that you may read' };
    const entry = findEntry(file, subject);
    if (entry?.isFile() !== true)
      throw new AppError(
        'setup.no_source',
        `${attempt}: ${entry === undefined ? 'no such file' : 'it is no file'}; name the wheel`,
        { details: { missing: true } },
      );
    const hash = await hashOf(file, subject);
    const wheel = library.wheels.find(({ files }) => Object.values(files).includes(hash));
    if (wheel === undefined) throw wrongHash(operation, file, hash, hashesFor(library, file));
    found.set(wheel, file);
  }
  return found;
}

/** The hashes that a file could have: those of its package where its name tells it. */
function hashesFor({ wheels }: PinnedLibrary, file: string): string[] {
  const packageOf = (name: string): string => basename(name).split('-')[0] ?? '';
  const named = wheels.filter(({ files }) =>
    Object.keys(files).some((name) => packageOf(name) === packageOf(file)),
  );
  return (named.length === 0 ? wheels : named).flatMap(({ files }) => Object.values(files));
}
