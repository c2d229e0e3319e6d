/** @file How far an item grows: it leaves out a size that would take it beyond its time, and says so. */

import type { BenchRow } from '../row.js';

/** Sizes in order; the next one is only begun where the pace so far says that it can be finished in time. */
export async function growThrough<T>(
  sizes: readonly number[],
  measure: (size: number) => Promise<T>,
  budgetMs: number,
): Promise<{ readonly found: readonly T[]; readonly leftOut: readonly number[] }> {
  const begin = performance.now();
  const found: T[] = [];
  let done = 0;
  for (const [at, size] of sizes.entries()) {
    const elapsed = performance.now() - begin;
    if (done > 0 && (elapsed / done) * size > budgetMs) return { found, leftOut: sizes.slice(at) };
    found.push(await measure(size));
    done = size;
  }
  return { found, leftOut: [] };
}

/** The rows; the last one names the sizes that time did not allow. */
export function nameLeftOut({
  found,
  leftOut,
}: {
  readonly found: readonly BenchRow[];
  readonly leftOut: readonly number[];
}): BenchRow[] {
  return found.map((row, at) =>
    at < found.length - 1 || leftOut.length === 0
      ? row
      : { ...row, notes: `${row.notes ?? ''}; left out for time: ${leftOut.join(', ')}` },
  );
}
