import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';

/** Computes the sha256 of a file, in hexadecimal, without reading it into memory as a whole. */
export function hashFile(path: string): string {
  const hash = createHash('sha256');
  const chunk = Buffer.allocUnsafe(1 << 20);
  const descriptor = openSync(path, 'r');
  try {
    for (let count = readSync(descriptor, chunk); count > 0; count = readSync(descriptor, chunk)) {
      hash.update(chunk.subarray(0, count));
    }
  } finally {
    closeSync(descriptor);
  }
  return hash.digest('hex');
}
