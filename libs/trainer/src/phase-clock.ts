/**
 * @file Seconds by phase. Phases never overlap, so their seconds add up to the time of the step;
 * what lies between two phases is a few function calls.
 */
import type { Phase } from '@espalier/contracts';

/** A stretch whose seconds are reported; `report` is the bookkeeping at the end of an iteration. */
export type TimedPhase = Phase | 'report';

export interface PhaseClock {
  /** Runs `work` and adds its duration to `phase`. */
  time<T>(phase: TimedPhase, work: () => T | Promise<T>): Promise<T>;
  /** Seconds spent in a phase so far. */
  seconds(phase: TimedPhase): number;
  /** Seconds since the clock was made. */
  elapsedSeconds(): number;
}

/** Creates a clock that starts now. `now` gives milliseconds. */
export function createPhaseClock(now: () => number = () => performance.now()): PhaseClock {
  const startedMs = now();
  const spentMs = new Map<TimedPhase, number>();
  return {
    async time(phase, work) {
      const beganMs = now();
      try {
        return await work();
      } finally {
        spentMs.set(phase, (spentMs.get(phase) ?? 0) + now() - beganMs);
      }
    },
    seconds: (phase) => (spentMs.get(phase) ?? 0) / 1000,
    elapsedSeconds: () => (now() - startedMs) / 1000,
  };
}
