import { isAbsolute, relative } from 'node:path';

/** A path as a person in the present folder would type it; what lies outside keeps its full path. */
export function showPath(path: string, from: string = process.cwd()): string {
  const short = relative(from, path);
  return short === '' || short.startsWith('..') || isAbsolute(short) ? path : short;
}
