/**
 * @file Seconds by phase. Phases neither overlap nor leave gaps: time between two counts for the second, so their seconds
 * add up to the time of the step.
 */
import type { Phase } from '@espalier/contracts';
import type { Energy, EnergyMeter } from './energy-meter.js';

/** A phase whose seconds are reported; `report` and `monitor` are the bookkeeping at the end of an iteration. */
export type TimedPhase = Phase | 'select' | 'report' | 'monitor';

export interface PhaseClock {
  /** Runs `work` and adds the time since the previous phase, or since the clock's creation, to `phase`. */
  time<T>(phase: TimedPhase, work: () => T | Promise<T>): Promise<T>;
  /** Seconds spent in a phase so far. */
  seconds(phase: TimedPhase): number;
  /** Seconds of processor time, of all threads of the process, spent in a phase so far. */
  processorSeconds(phase: TimedPhase): number;
  /** Energy spent in a phase so far; zero without a meter. */
  energy(phase: TimedPhase): Energy;
  /** Seconds from the clock's creation to the end of the last phase. */
  elapsedSeconds(): number;
}

/** Creates a clock that starts now. `now` and `processor` give milliseconds. */
export function createPhaseClock(
  meter?: EnergyMeter,
  now: () => number = () => performance.now(),
  processor: () => number = processorMs,
): PhaseClock {
  const startedMs = now();
  let endedMs = startedMs;
  let usedMs = processor();
  let mark = meter?.mark();
  const spentMs = new Map<TimedPhase, { wall: number; processor: number }>();
  const used = new Map<TimedPhase, Energy>();
  return {
    async time(phase, work) {
      try {
        return await work();
      } finally {
        const [beganMs, usedBeforeMs] = [endedMs, usedMs];
        endedMs = now();
        usedMs = processor();
        const [wall, spent] = [endedMs - beganMs, usedMs - usedBeforeMs];
        const before = spentMs.get(phase) ?? { wall: 0, processor: 0 };
        spentMs.set(phase, { wall: before.wall + wall, processor: before.processor + spent });
        if (meter !== undefined) {
          const after = meter.mark();
          const energy = meter.between(mark, after, { wall: wall / 1000, processor: spent / 1000 });
          mark = after;
          used.set(phase, addEnergy(used.get(phase) ?? none, energy));
        }
      }
    },
    seconds: (phase) => (spentMs.get(phase)?.wall ?? 0) / 1000,
    processorSeconds: (phase) => (spentMs.get(phase)?.processor ?? 0) / 1000,
    energy: (phase) => used.get(phase) ?? none,
    elapsedSeconds: () => (endedMs - startedMs) / 1000,
  };
}

const none: Energy = { joules: 0, measuredJoules: 0 };

const addEnergy = (one: Energy, other: Energy): Energy => ({
  joules: one.joules + other.joules,
  measuredJoules: one.measuredJoules + other.measuredJoules,
});

function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
