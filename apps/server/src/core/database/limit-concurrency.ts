/**
 * @file Limits concurrent reads and starts each in its own tick of the event loop, so that one operation with many
 * reads does not block the others.
 */

/** on PostgreSQL a slow one lets others pass; on SQLite they wait together for a commit */
const maxConcurrent = 8;

let active = 0;
const waiting: (() => void)[] = [];

/** Runs a read when a slot is free. */
export async function limitConcurrency<T>(read: () => Promise<T>): Promise<T> {
  await new Promise<void>((start) => {
    waiting.push(start);
    if (waiting.length === 1) setImmediate(next);
  });
  try {
    return await read();
  } finally {
    active -= 1;
    if (active === maxConcurrent - 1 && waiting.length > 0) setImmediate(next);
  }
}

/** Starts the next read unless enough are active; called once per tick while some wait. */
function next(): void {
  if (active >= maxConcurrent) return;
  active += 1;
  waiting.shift()?.();
  if (waiting.length > 0 && active < maxConcurrent) setImmediate(next);
}
