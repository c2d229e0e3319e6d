/**
 * @file An evaluation as data: the outcome of each state, and the rates computed from them.
 */
import { AppError, defineMetric, type StopReason, type Trajectory } from '@espalier/contracts';
import { type Collection, rolloutMetrics, wilsonInterval } from '@espalier/rollout';

/** The outcome of one state. */
export interface EpisodeOutcome {
  /** identifies the initial state; equal seeds are the same state */
  readonly stateSeed: number;
  readonly success: boolean;
  /** raw total of the score record */
  readonly total: number;
  readonly stopReason: StopReason;
  readonly turns: number;
  readonly actions: number;
  /** share of turns with a valid format */
  readonly formatShare: number;
}

export interface Evaluation {
  readonly environment: string;
  readonly episodes: number;
  /** episodes that failed or timed out; no rate includes them */
  readonly failed: number;
  readonly successRate: number;
  /** 95 % Wilson interval of the success rate */
  readonly successLow: number;
  readonly successHigh: number;
  /** by name under `validation/` */
  readonly metrics: Readonly<Record<string, number>>;
  readonly outcomes: readonly EpisodeOutcome[];
}

for (const side of ['low', 'high']) {
  defineMetric({
    name: `validation/success_${side}`,
    unit: 'probability',
    formula: `${side === 'low' ? 'lower' : 'upper'} end of the 95 % Wilson interval of validation/success_rate`,
  });
}
/** Reduces a trajectory to the outcome that comparisons need. */
export function outcomeOf(trajectory: Trajectory): EpisodeOutcome {
  const { turns } = trajectory;
  const valid = turns.filter((turn) => turn.formatValid).length;
  return {
    stateSeed: trajectory.seeds.state,
    success: trajectory.success,
    total: trajectory.score.total,
    stopReason: trajectory.stopReason,
    turns: turns.length,
    actions: turns.reduce((sum, turn) => sum + turn.actions.length, 0),
    formatShare: turns.length === 0 ? 0 : valid / turns.length,
  };
}

/**
 * Summarizes trajectories, one per state.
 *
 * @throws rollout.too_many_errors when every episode failed
 */
export function summarizeEvaluation(environment: string, collection: Collection): Evaluation {
  const outcomes = collection.groups.flatMap((group) => group.trajectories.map(outcomeOf));
  const episodes = outcomes.length;
  if (episodes === 0) {
    const reason = collection.failed[0]?.error ?? 'no episode was run';
    throw new AppError(
      'rollout.too_many_errors',
      `evaluate on ${environment}: all ${collection.rollouts} episodes failed, the first with "${reason}"; expected at least one that completes`,
    );
  }
  const successes = outcomes.filter((outcome) => outcome.success).length;
  const { low, high } = wilsonInterval(successes, episodes);
  const failed = collection.failed.length;
  return {
    environment,
    episodes,
    failed,
    successRate: successes / episodes,
    successLow: low,
    successHigh: high,
    metrics: {
      ...rolloutMetrics(collection, 'validation'),
      'validation/success_low': low,
      'validation/success_high': high,
    },
    outcomes,
  };
}
