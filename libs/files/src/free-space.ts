import { existsSync, statfsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Bytes that this user may still write where a path lies, or will lie. */
export function freeBytesAt(path: string): number {
  let present = resolve(path);
  while (!existsSync(present) && dirname(present) !== present) present = dirname(present);
  const { bavail, bsize } = statfsSync(present);
  return bavail * bsize;
}
