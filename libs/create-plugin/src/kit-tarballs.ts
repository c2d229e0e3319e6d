/** @file Finds the kit among tarballs of `npm run pack`, with the packages that it needs. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { AppError } from '@espalier/contracts';

const kitName = '@espalier/plugin-kit';

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/**
 * Finds the kit in a tarball or in a folder of tarballs; what it needs lies beside it.
 *
 * @returns package name → absolute path, the kit first
 * @throws cli.usage
 */
export function findKitTarballs(place: string): Record<string, string> {
  const refuse = (finding: string): AppError =>
    new AppError(
      'cli.usage',
      `take the kit from ${place}: ${finding}; give --kit the folder that npm run pack fills, .cache/packages of a clone`,
    );
  if (!existsSync(place)) throw refuse('it does not exist');
  const isFolder = statSync(place).isDirectory();
  const folder = resolve(isFolder ? place : dirname(place));
  const found = new Map<string, { path: string; manifest: Manifest }>();
  for (const name of readdirSync(folder).filter((entry) => entry.endsWith('.tgz'))) {
    const path = join(folder, name);
    const manifest = readManifest(path);
    if (manifest !== undefined && (isFolder || path === resolve(place) || manifest.name !== kitName))
      found.set(manifest.name, { path, manifest });
  }
  if (!found.has(kitName)) throw refuse(`it has no tarball of ${kitName}`);
  const needed = new Set([kitName]);
  for (const name of needed) {
    const { manifest } = found.get(name) ?? {};
    if (manifest === undefined) throw refuse(`it has no tarball of ${name}, which the kit needs`);
    const own = Object.keys(manifest.dependencies ?? {}).filter((other) => other.startsWith('@espalier/'));
    for (const other of own) needed.add(other);
  }
  return Object.fromEntries([...needed].map((name) => [name, found.get(name)!.path]));
}

const block = 512;

/** Reads package.json of a tarball of npm; undefined for what is none. */
function readManifest(path: string): Manifest | undefined {
  try {
    const bytes = gunzipSync(readFileSync(path));
    for (let at = 0; at + block <= bytes.length;) {
      const field = (start: number, length: number): string =>
        bytes.toString('utf8', at + start, at + start + length).split('\0', 1)[0] ?? '';
      const size = Number.parseInt(field(124, 12), 8) || 0;
      if (field(0, 100) === 'package/package.json')
        return JSON.parse(bytes.toString('utf8', at + block, at + block + size)) as Manifest;
      at += block + Math.ceil(size / block) * block;
    }
    return undefined;
  } catch {
    return undefined;
  }
}
