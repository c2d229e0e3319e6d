import type { Span, SpanKind } from '@espalier/contracts';
import type { StoredTrajectory } from '@espalier/recorder';
import type { TrajectoryEntity } from '../../database/entities/trajectory.js';
import type { ReadTrajectory, TrajectoryDetail, TrajectoryUpdate } from './trajectory.types.js';

/** The ids next to a trajectory, in the order of its run. */
export type Neighbours = Pick<TrajectoryDetail, 'previousId' | 'nextId'>;

/** Combines the row and the stored body of a trajectory. */
export function toDetail(
  row: TrajectoryEntity,
  { previousId, nextId }: Neighbours,
  stored: StoredTrajectory,
): ReadTrajectory {
  const { id, level, spans, windows, turns, seeds, timings, labels, score } = stored;
  return {
    id,
    row,
    previousId,
    nextId,
    level: level ?? null,
    spans,
    windows: windows ?? [{ start: 0, firstTurn: 0 }],
    seeds,
    totalMs: timings.totalMs,
    update: toUpdate(stored),
    stored,
    tokens: Array.from(stored.tokens),
    logprobs: ofSampled(stored.logprobs, spans),
    entropies: ofSampled(stored.entropies, spans),
    textEnds: stored.textEnds === undefined ? null : Array.from(stored.textEnds),
    turns: turns.map((turn) => ({
      ...turn,
      image: turn.image ?? null,
      plan: turn.plan ?? null,
      policyVersion: turn.policyVersion ?? null,
      actions: turn.actions.map((action) => ({ ...action, slipped: action.slipped ?? null })),
    })),
    labels,
    score: {
      ...score,
      evidence: score.evidence ?? [],
      rewards: Object.entries(score.rewards).map(([name, reward]) => ({ name, ...reward })),
    },
  };
}

function toUpdate({ update }: StoredTrajectory): TrajectoryUpdate | null {
  if (update === undefined) return null;
  const { outcome, lossTokens, clippedTokens = null, share = null, policyVersion = null, tokens } = update;
  const { firstPassSteps = null, lastPassSteps = null } = tokens ?? {};
  const hasTokens = tokens !== undefined;
  const passes = { hasTokens, firstPassSteps, lastPassSteps };
  return { outcome, lossTokens, clippedTokens, share, policyVersion, ...passes };
}

const sampledKinds: readonly SpanKind[] = ['think', 'answer', 'control'];

/** The values of sampled tokens; null for other tokens, for which files store 0, and for values that are not finite. */
function ofSampled(values: Float32Array, spans: readonly Span[]): (number | null)[] {
  const column = new Array<number | null>(values.length).fill(null);
  for (const { kind, start, end } of spans)
    if (sampledKinds.includes(kind))
      values.subarray(start, end).forEach((value, index) => {
        if (Number.isFinite(value)) column[start + index] = value;
      });
  return column;
}
