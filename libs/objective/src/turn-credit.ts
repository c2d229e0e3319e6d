/**
 * @file Credit per turn without a critic: what turns earned, compared with other turns of the group, beside the total of
 * the trajectory. The estimators and their papers are in advantage/.
 */
import { AppError, defineMetric } from '@espalier/contracts';
import { estimateAnchorAdvantages } from './advantage/anchors.js';
import type { GroupNormalization } from './advantage/group-relative.js';
import {
  broadcastToTurnTokens,
  estimateTurnReturns,
  spreadTurnRewards,
  sumTurnRewards,
} from './advantage/turns.js';
import { estimateAdvantageMetrics } from './credit-metrics.js';
import { type CreditedTrajectory, estimateGroupCredit, type TrajectoryCredit } from './trajectory-credit.js';

const COMPARED_TURNS = defineMetric({
  name: 'credit/compared_turns_share',
  unit: 'probability',
  formula: 'turns that have another turn of their group to be compared with / turns',
});

/** Which turns of a group are compared: those from the same state, those at the same place, or all. */
export type TurnComparison = 'state' | 'index' | 'all';

export interface TurnCreditOptions {
  readonly compare: TurnComparison;
  /** discount from one turn to the next, in [0, 1]; 0: only what the turn itself earned */
  readonly turnGamma: number;
  /** divisor of differences: `group` = standard deviation */
  readonly normalization: Extract<GroupNormalization, 'group' | 'none'>;
  /** rewards are divided among their turn and those before it, instead of counted for each of them; default: false */
  readonly spread?: boolean;
  /** weight of the turn's advantage */
  readonly turnWeight: number;
  /** weight of the trajectory's advantage */
  readonly episodeWeight: number;
  /**
   * what trajectories are compared by: `total` = all they earned; `last-turn` = what their last turn earned, which then
   * counts nowhere else, and whose tokens have that comparison alone
   */
  readonly outcome?: 'total' | 'last-turn';
}

/**
 * Estimates episodeWeight · A_trajectory + turnWeight · A_turn at the tokens of each turn.
 *
 * @throws contracts.invalid_value with `compare: state` for a trajectory without state keys
 * @see Feng et al. 2025, arXiv:2505.10978 (GiGPO: `state`); Zeng et al. 2025, arXiv:2505.11821 (MT-GRPO: `index`, γ = 0)
 */
export function estimateTurnCredit(
  trajectories: readonly CreditedTrajectory[],
  options: TurnCreditOptions,
): TrajectoryCredit {
  const { turnGamma, normalization, turnWeight, episodeWeight, outcome = 'total', spread = false } = options;
  const apart = outcome === 'last-turn' ? 1 : 0;
  const rewards = trajectories.map(sumTurnRewards);
  const compared = (turns: number): number => Math.max(0, turns - apart);
  const episodes = estimateGroupCredit(
    apart === 0 ? trajectories : trajectories.map((one, i) => ofOutcome(one, rewards[i]?.at(-1))),
    normalization,
  );
  const anchors = trajectories.map((trajectory, i) =>
    anchorsOf(trajectory, i, options.compare).slice(0, compared(trajectory.turnEnds.length)),
  );
  const earn = spread ? spreadTurnRewards : estimateTurnReturns;
  const returns = rewards.map((own) => earn(own.subarray(0, compared(own.length)), turnGamma));
  const { advantages, comparedShare } = estimateAnchorAdvantages(
    returns.flatMap((own) => [...own]),
    anchors.flat(),
    normalization,
  );
  let first = 0;
  const combined = trajectories.map((trajectory, i) => {
    const turns = trajectory.turnEnds.length;
    const own = advantages.subarray(first, first + compared(turns));
    first += own.length;
    const ofTurns = broadcastToTurnTokens(
      [...own, ...new Array<number>(turns - own.length).fill(0)],
      trajectory,
    );
    const weights = trajectory.turnEnds.map((_, turn) => (turn < own.length ? episodeWeight : 1));
    const ofEpisode = broadcastToTurnTokens(weights, trajectory);
    return ofTurns.map(
      (turn, t) =>
        (ofEpisode[t] as number) * ((episodes.advantages[i] as Float64Array)[t] as number) +
        turnWeight * turn,
    );
  });
  const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
  const metrics = {
    ...estimateAdvantageMetrics(combined, lossMask),
    [COMPARED_TURNS.name]: comparedShare,
  };
  return { advantages: combined, metrics };
}

/** A trajectory that has earned nothing but its outcome. */
function ofOutcome({ evidence: _, ...trajectory }: CreditedTrajectory, outcome = 0): CreditedTrajectory {
  return { ...trajectory, total: outcome };
}

function anchorsOf(
  { group, turnEnds, stateKeys }: CreditedTrajectory,
  index: number,
  compare: TurnComparison,
): string[] {
  if (compare === 'all') return turnEnds.map(() => `${group}`);
  if (compare === 'index') return turnEnds.map((_, turn) => `${group} ${turn}`);
  if (stateKeys?.length === turnEnds.length) return stateKeys.map((key) => `${group} ${key}`);
  throw new AppError(
    'contracts.invalid_value',
    `turn credit: trajectory ${index} has ${stateKeys?.length ?? 0} state keys for ${turnEnds.length} turns; give the key of the state before each turn`,
  );
}
