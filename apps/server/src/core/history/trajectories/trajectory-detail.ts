import type { StoredTrajectory } from '@espalier/recorder';
import type { TrajectoryEntity } from '../../database/entities/trajectory.js';
import type { TrajectoryDetail, TrajectoryTurn } from './trajectory.types.js';

/** Puts the row and the stored body of a trajectory together. */
export function toDetail(row: TrajectoryEntity, stored: StoredTrajectory): TrajectoryDetail {
  const { id, spans, turns, seeds, timings, score } = stored;
  return {
    ...{ id, row, spans, seeds, totalMs: timings.totalMs },
    tokens: Array.from(stored.tokens),
    logprobs: toNumbers(stored.logprobs),
    entropies: toNumbers(stored.entropies),
    turns: turns.map((turn) => ({ ...turn }) as unknown as TrajectoryTurn),
    score: { ...score, rewards: { ...score.rewards }, perTurn: [...score.perTurn] },
  };
}

function toNumbers(values: Float32Array): (number | null)[] {
  return Array.from(values, (value) => (Number.isFinite(value) ? value : null));
}
