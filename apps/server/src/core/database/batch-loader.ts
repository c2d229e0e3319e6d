/** @file Loads by one query what is requested during one tick; caches nothing. */

/** Creates a loader; `load` receives at most `most` distinct keys and returns what it found by key. */
export function createBatchLoader<V>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
  most = 500,
): (key: string) => Promise<V | undefined> {
  let keys = new Set<string>();
  let batch: Promise<ReadonlyMap<string, V>> | undefined;
  return async (key) => {
    if (keys.size >= most) batch = undefined;
    if (batch === undefined) {
      const requested = (keys = new Set());
      const own = (batch = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        if (batch === own) batch = undefined;
        return load([...requested]);
      }));
    }
    keys.add(key);
    return (await batch).get(key);
  };
}

/** Sorts rows into lists by a key. */
export function groupRows<T>(rows: readonly T[], keyOf: (row: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}
