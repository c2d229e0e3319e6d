/** @file How busy the processors of the machine are, between one reading and the next. */
import { type CpuInfo, cpus } from 'node:os';

/** Processor time over which a share says something, ms. */
const leastMs = 200;

/**
 * Opens a meter.
 *
 * @returns reads the share of processor time at work since the last reading, 0 to 1; null before there is one
 */
export function openLoadMeter(read: () => readonly CpuInfo[] = cpus): () => number | null {
  let before = timesOf(read());
  let share: number | null = null;
  return () => {
    const now = timesOf(read());
    const total = now.total - before.total;
    if (total < leastMs) return share;
    share = Math.min(1, Math.max(0, 1 - (now.idle - before.idle) / total));
    before = now;
    return share;
  };
}

function timesOf(processors: readonly CpuInfo[]): { readonly idle: number; readonly total: number } {
  const sum = (of: readonly number[]): number => of.reduce((a, b) => a + b, 0);
  return {
    idle: sum(processors.map(({ times }) => times.idle)),
    total: sum(processors.flatMap(({ times }) => Object.values(times))),
  };
}
