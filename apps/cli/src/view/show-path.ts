import { isAbsolute, relative } from 'node:path';

/** A path as typed in the current folder; a path outside stays absolute. */
export function showPath(path: string, from: string = process.cwd()): string {
  const short = relative(from, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
