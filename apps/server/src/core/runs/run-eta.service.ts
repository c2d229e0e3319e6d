/** @file When a run will have done its steps, from how long its last ones took. */
import { Injectable } from '@nestjs/common';
import { Clock } from '../database/clock.js';
import type { Run } from '../database/entities/run.js';
import { RunLog } from '../database/run-log.js';
import { runSql } from '../database/run-sql.js';

/** What is left of a run that is running. */
export class RunEta {
  seconds!: number;
  /** ms since the epoch */
  at!: number;
}

/** A row of metrics as far as its time is concerned. */
export interface TimedStep {
  readonly attempt: number;
  readonly step: number;
  readonly time: number;
}

/** Steps that are looked at; a step with a validation has two rows. */
const recentSteps = 12;
/** among them are the rows of those steps, whatever else was recorded */
const recentRecords = 20_000;
/** fewer say too little */
const leastDurations = 2;

@Injectable()
export class RunEtas {
  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {}

  /** Estimates the rest of a run; null while it does not run, or is not known. */
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
 * Estimates from the median of the last durations, which a pause or a slow validation does not move.
 *
 * @param rows  newest first
 * @param steps that the run is to have
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
  if (durations.length < leastDurations) return null;
  const sorted = durations.sort((a, b) => a - b);
  const typical = sorted[Math.floor(sorted.length / 2)] as number;
  // the present step is under way; if it takes longer than most, nobody knows how much
  const spent = Math.min(typical, Math.max(0, now - newest.time));
  const left = typical * (steps - newest.step) - spent;
  return Object.assign(new RunEta(), { seconds: left / 1000, at: Math.round(now + left) });
}
