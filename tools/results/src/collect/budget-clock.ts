/**
 * @file How long a run took. The wall clock of a machine that does other work says little about a run with one
 * thread; the budget therefore counts the processor's time where that is less: what the run would have taken with
 * its core to itself. Runs with several threads, and rows without processor time, count by the wall clock.
 */
import type { MetricRow } from '@espalier/recorder';

const phases = ['time/step_seconds', 'time/save_seconds', 'time/validate_seconds'];

/** Wall-clock seconds of a row. */
export function wallSeconds({ values }: MetricRow): number {
  return phases.reduce((sum, name) => sum + (values[name] ?? 0), 0);
}

/** Seconds of a row that count against the budget. */
export function budgetSeconds(row: MetricRow, threads: number | undefined): number {
  const wall = wallSeconds(row);
  return threads === 1 ? Math.min(wall, row.values['time/cpu_seconds'] ?? wall) : wall;
}
