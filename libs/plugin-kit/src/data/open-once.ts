/** @file What takes long to open and does not change, such as a corpus: opened once and shared by all instances of a process. */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * Makes a function that opens a source; the second time it is at hand, unless one of its files has changed.
 *
 * @param open what it opens must not be changed afterwards; an error is thrown on, and nothing is kept
 * @param filesOf files that the source is read from; opening reports the missing ones
 * @param kept how many are kept; the first one is let go for another
 */
export function openOnce<Source, Opened>(
  open: (source: Source) => Opened,
  filesOf: (source: Source) => readonly string[],
  kept: number,
): (source: Source) => Opened {
  const known = new Map<string, Opened>();
  return (source) => {
    const key = JSON.stringify([source, filesOf(source).map(stampOf)]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const [oldest] = known.keys();
    if (known.size >= kept && oldest !== undefined) known.delete(oldest);
    const opened = open(source);
    known.set(key, opened);
    return opened;
  };
}

/** Size and time of a file. */
function stampOf(file: string): readonly unknown[] {
  const stats = statSync(resolve(file), { throwIfNoEntry: false });
  return [stats?.size, stats?.mtimeMs];
}
