/**
 * @file Random kill points from a seed. A uniformly random time would rarely hit a checkpoint, which takes milliseconds;
 * so the phase is drawn first, from a shuffled list, and then a uniformly random time within its duration in an
 * uninterrupted run.
 */
import type { RandomStream } from '@espalier/random';
import type { ProcessRun, KillPoint, TrainingPhase } from './training-process.js';

/** The phases that a complete experiment must hit. */
export const allPhases: readonly TrainingPhase[] = [
  'start-up',
  'rollout',
  'update',
  'checkpoint',
  'validation',
];

export interface KillPoints {
  /** @param isFirst first process of a run; later ones are shorter, so only their first phases are targets */
  next(isFirst: boolean): KillPoint;
  /** Makes a phase the next target. */
  force(phase: TrainingPhase): void;
}

/** Creates an endless source of kill points for processes like `uninterrupted`. */
export function createKillPoints(
  stream: RandomStream,
  uninterrupted: ProcessRun,
  targets: readonly TrainingPhase[],
): KillPoints {
  let queue: TrainingPhase[] = [];
  const timesOf = (phase: TrainingPhase): number[] =>
    uninterrupted.phases.filter((one) => one.phase === phase).map(({ ms }) => ms);
  return {
    force: (phase) => void queue.push(phase),
    next(isFirst) {
      if (queue.length === 0) queue = stream.shuffle(targets);
      const phase = queue.pop() ?? 'rollout';
      const times = timesOf(phase);
      const occurrence = 1 + stream.int(Math.max(1, isFirst ? times.length : Math.min(2, times.length)));
      const ms = times[occurrence - 1] ?? 0;
      return { phase, occurrence, delayMs: stream.next() * ms };
    },
  };
}
