/** @file Whether this process runs before all other work: what a machine of its own takes, measured on a shared one. */
import { readFileSync } from 'node:fs';
import type { BenchRow } from './row.js';

/** SCHED_FIFO and SCHED_RR, as `chrt` sets them for a process and what it starts. */
const realTime = new Set(['1', '2']);

/** @param stat the line of /proc/PID/stat; the name in it may have spaces and brackets */
export function isRealTime(stat: string): boolean {
  const afterName = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // field 41 of the line; the state, after the name, is the third
  return realTime.has(afterName[41 - 3] ?? '');
}

/** Rows say when they were measured before other work. */
export function notePriority(rows: readonly BenchRow[], stat = readOwnStat()): BenchRow[] {
  if (!isRealTime(stat)) return [...rows];
  return rows.map((row) => ({
    ...row,
    notes: `${row.notes === undefined ? '' : `${row.notes}; `}before other work`,
  }));
}

const readOwnStat = (): string =>
  process.platform === 'linux' ? readFileSync('/proc/self/stat', 'utf8') : '';
