/** @file Estimates when a run will finish, from the durations of its last steps. */
import { Injectable } from '@nestjs/common';
import { Clock } from '../database/clock.js';
import type { Run } from '../database/entities/run.js';
import { RunLog } from '../database/run-log.js';
import { runSql } from '../database/run-sql.js';

/** The remaining time of a running run. */
export class RunEta {
  seconds!: number;
  /** ms since the epoch */
  at!: number;
}

/** When a step was reported. */
export interface TimedStep {
  readonly attempt: number;
  readonly step: number;
  readonly time: number;
}

/** Steps to measure; a step with a validation has two rows. */
const recentSteps = 12;
/** those rows are among the last records, whatever else was recorded */
const recentRecords = 20_000;
/** with fewer there is no estimate */
const minDurations = 2;

@Injectable()
export class RunEtas {
  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {}

  /** Estimates the remaining time of a run; null unless it is running and has enough steps. */
  async of({ id, state, steps, head }: Pick<Run, 'id' | 'state' | 'steps' | 'head'>): Promise<RunEta | null> {
    if (state !== 'running') return null;
    const rows = await this.log.read((manager) =>
      runSql<{ attempt: number; step: number; time: unknown }>(
        manager,
        `SELECT attempt, step, time FROM run_record WHERE "runId" = ? AND cursor > ? AND kind = 'metrics'
         ORDER BY cursor DESC LIMIT ?`,
        [id, head - recentRecords, 2 * recentSteps],
      ),
    );
    const timed = rows.map(({ attempt, step, time }) => ({ attempt, step, time: Number(time) }));
    return estimateEta(timed, steps, this.clock.now());
  }
}

/**
 * Estimates from the median of the last durations, which is robust against a pause or a slow validation.
 *
 * @param rows  newest first
 * @param steps total steps of the run
 */
export function estimateEta(rows: readonly TimedStep[], steps: number, now: number): RunEta | null {
  const [newest] = rows;
  if (newest === undefined || newest.step >= steps) return null;
  const ends = new Map<number, number>();
  for (const { attempt, step, time } of rows)
    if (attempt === newest.attempt && !ends.has(step)) ends.set(step, time);
  const durations = [...ends].flatMap(([step, time]) => {
    const before = ends.get(step - 1);
    return before === undefined || time < before ? [] : [time - before];
  });
  if (durations.length < minDurations) return null;
  const sorted = durations.sort((a, b) => a - b);
  const typical = sorted[Math.floor(sorted.length / 2)] as number;
  // the current step counts for at most a typical duration, as it may take longer
  const spent = Math.min(typical, Math.max(0, now - newest.time));
  const left = typical * (steps - newest.step) - spent;
  return Object.assign(new RunEta(), { seconds: left / 1000, at: Math.round(now + left) });
}
