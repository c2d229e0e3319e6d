/** @file The budget of an episode in one step of a run whose horizon grows. */
import type { RunSpec } from './run-spec.js';

/**
 * The options of episodes in one step, from 1. A budget grows from that of `horizon` in the first step to the full one,
 * rounded down.
 *
 * @see ScalingInter-RL, Xi et al. 2025, arXiv:2509.08755, which adds a fixed number of turns every fixed number of steps
 */
export function rolloutAt(rollout: RunSpec['rollout'], step: number): RunSpec['rollout'] {
  const { horizon } = rollout;
  if (horizon === undefined) return rollout;
  const changes = Math.floor((step - 1) / horizon.every);
  const grown = Math.min(1, (changes * horizon.every) / horizon.steps);
  // the small term keeps 0.3 · 10 from rounding down to 2
  const between = (first: number | undefined, full: number): number =>
    first === undefined ? full : first + Math.floor((full - first) * grown + 1e-9);
  return {
    ...rollout,
    maxTurns: between(horizon.maxTurns, rollout.maxTurns),
    maxActions: between(horizon.maxActions, rollout.maxActions),
  };
}
