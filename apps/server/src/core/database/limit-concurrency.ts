/**
 * @file Lets reads of many rows begin one by one, each in a turn of the event loop of its own: what one operation asks
 * for at once, however much it is, does not keep everybody else waiting until all of it is read.
 */

/** on PostgreSQL a slow one lets others pass; on SQLite they wait together for a commit */
const maxConcurrent = 8;

let active = 0;
const waiting: (() => void)[] = [];

/** Does a read when its turn has come. */
export async function limitConcurrency<T>(read: () => Promise<T>): Promise<T> {
  await new Promise<void>((begin) => {
    waiting.push(begin);
    if (waiting.length === 1) setImmediate(next);
  });
  try {
    return await read();
  } finally {
    active -= 1;
    if (active === maxConcurrent - 1 && waiting.length > 0) setImmediate(next);
  }
}

/** Lets the next one begin, unless enough are under way; asked once per turn of the event loop while some wait. */
function next(): void {
  if (active >= maxConcurrent) return;
  active += 1;
  waiting.shift()?.();
  if (waiting.length > 0 && active < maxConcurrent) setImmediate(next);
}
