/** @file Whether the disk has room for what is to be installed, asked before anything is fetched. */
import { statfsSync } from 'node:fs';
import { AppError } from '@espalier/contracts';
import type { WheelSource } from './choose-sources.js';

/** A download goes when it is unpacked, so only the largest needs room besides. @throws setup.no_space */
export function requireRoom(sources: readonly WheelSource[], folder: string, operation: string): void {
  const fetched = sources.filter(({ from }) => !('links' in from));
  const unpacked = fetched.reduce((sum, { wheel }) => sum + wheel.unpackedBytes, 0);
  const downloads = fetched.map(({ from, wheel }) => ('address' in from ? wheel.bytes : 0));
  const needed = unpacked + Math.max(0, ...downloads);
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new AppError(
    'setup.no_space',
    `${operation}: it needs ${mebibytes(needed)} MiB, ${folder} has ${mebibytes(free)} MiB free; make room, or set ESPALIER_CACHE to a folder on another disk`,
    { details: { needed, free, folder } },
  );
}

const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20);

/** The error of a write that found no room after all. */
export function fullDisk(operation: string, cause: unknown): AppError | undefined {
  const { code = '' } = (cause ?? {}) as { readonly code?: string };
  if (code !== 'ENOSPC' && code !== 'EDQUOT') return undefined;
  return new AppError(
    'setup.no_space',
    `${operation}: the disk is full; nothing was installed, make room, or set ESPALIER_CACHE to a folder on another disk`,
    { cause },
  );
}
