/**
 * @file Seconds by phase. Phases neither overlap nor leave gaps: time between two counts for the second, so their seconds
 * add up to the time of the step.
 */
import type { Phase } from '@espalier/contracts';

/** A phase whose seconds are reported; `report` and `monitor` are the bookkeeping at the end of an iteration. */
export type TimedPhase = Phase | 'select' | 'report' | 'monitor';

export interface PhaseClock {
  /** Runs `work` and adds the time since the previous phase, or since the clock's creation, to `phase`. */
  time<T>(phase: TimedPhase, work: () => T | Promise<T>): Promise<T>;
  /** Seconds spent in a phase so far. */
  seconds(phase: TimedPhase): number;
  /** Seconds from the clock's creation to the end of the last phase. */
  elapsedSeconds(): number;
}

/** Creates a clock that starts now. `now` gives milliseconds. */
export function createPhaseClock(now: () => number = () => performance.now()): PhaseClock {
  const startedMs = now();
  let endedMs = startedMs;
  const spentMs = new Map<TimedPhase, number>();
  return {
    async time(phase, work) {
      try {
        return await work();
      } finally {
        const beganMs = endedMs;
        endedMs = now();
        spentMs.set(phase, (spentMs.get(phase) ?? 0) + endedMs - beganMs);
      }
    },
    seconds: (phase) => (spentMs.get(phase) ?? 0) / 1000,
    elapsedSeconds: () => (endedMs - startedMs) / 1000,
  };
}
