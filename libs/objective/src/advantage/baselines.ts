/**
 * @file Advantages of whole trajectories against a baseline of their group; no divisor. Where a baseline is the group mean,
 * see group-relative.ts.
 */
import { AppError, defineMetric } from '@espalier/contracts';
import { assertSameLength } from './statistics.js';

defineMetric({
  name: 'algorithm/baseline',
  unit: 'reward',
  formula:
    'moving average that the first total of this update is compared with; with algorithm.baseline role; in a run in several environments algorithm/baseline/<tag> for each',
});

/**
 * Estimates each total less the mean of the other totals of its group: R_i − Σ_{j≠i} R_j / (G − 1).
 *
 * @param groups group of each trajectory; any integers
 * @returns one per trajectory; 0 for a group of one, which has nothing to be compared with
 * @throws objective.length_mismatch
 * @see Ahmadian et al. 2024, arXiv:2402.14740, sec. 2.3 (RLOO); Kool et al. 2019
 */
export function estimateLeaveOneOut(totals: ArrayLike<number>, groups: ArrayLike<number>): Float64Array {
  assertSameLength('leave-one-out', { totals, groups });
  const advantages = new Float64Array(totals.length);
  for (const members of listGroups(groups)) {
    const own = members.map((i) => totals[i] as number);
    if (own.every((total) => total === own[0])) continue; // exactly 0, whatever the rounding of sums
    for (const i of members) {
      let others = 0;
      for (const j of members) if (j !== i) others += totals[j] as number;
      advantages[i] = (totals[i] as number) - others / (members.length - 1);
    }
  }
  return advantages;
}

/**
 * Estimates each total less the mean of its group's totals weighted by length, which gives the smallest variance where
 * long trajectories have large gradients: R_i − Σ_j L_j R_j / Σ_j L_j.
 *
 * @param lengths loss tokens of each trajectory
 * @returns one per trajectory; 0 for a group of one
 * @throws objective.length_mismatch; contracts.invalid_value for a length that is not positive
 * @see Hao et al. 2025, arXiv:2505.23585 (OPO), the optimal reward baseline
 */
export function estimateLengthWeighted(
  totals: ArrayLike<number>,
  groups: ArrayLike<number>,
  lengths: ArrayLike<number>,
): Float64Array {
  assertSameLength('length-weighted baseline', { totals, groups, lengths });
  const advantages = new Float64Array(totals.length);
  for (const members of listGroups(groups)) {
    let weighted = 0;
    let tokens = 0;
    for (const i of members) {
      const length = lengths[i] as number;
      if (!(length > 0)) {
        throw new AppError(
          'contracts.invalid_value',
          `length-weighted baseline: trajectory ${i} has ${length} loss tokens; leave out trajectories without any`,
        );
      }
      weighted += length * (totals[i] as number);
      tokens += length;
    }
    const own = members.map((i) => totals[i] as number);
    if (own.every((total) => total === own[0])) continue;
    for (const i of members) advantages[i] = (totals[i] as number) - weighted / tokens;
  }
  return advantages;
}

/**
 * Estimates each total less the moving average of earlier totals with the same role: A = R − b, then
 * b ← memory · b + (1 − memory) · R, trajectory by trajectory.
 *
 * @param roles of the trajectories; any strings
 * @param options.start average of each role before these totals; absent: 0
 * @param options.memory share of the average that each total leaves, in [0, 1)
 * @returns one advantage per trajectory, in reward; the average of each role after the last of its totals
 * @throws objective.length_mismatch
 * @see Liu et al. 2025, arXiv:2506.24119 (SPIRAL), role-conditioned advantage estimation (RAE)
 */
export function estimateRoleAdvantages(
  totals: ArrayLike<number>,
  roles: ArrayLike<string>,
  options: { readonly start: ReadonlyMap<string, number>; readonly memory: number },
): { readonly advantages: Float64Array; readonly averages: ReadonlyMap<string, number> } {
  assertSameLength('role baseline', { totals, roles });
  const { start, memory } = options;
  const averages = new Map(start);
  const advantages = Float64Array.from(totals, (total, i) => {
    const role = roles[i] as string;
    const before = averages.get(role) ?? 0;
    averages.set(role, memory * before + (1 - memory) * total);
    return total - before;
  });
  return { advantages, averages };
}

/**
 * Gives each total less that of the greedy trajectory of its group: R − R(ā).
 *
 * @returns one per trajectory, in reward
 * @throws contracts.invalid_value where a trajectory has no greedy total, rather than to compare with 0
 * @see Li et al. 2023, arXiv:2310.10505 (ReMax), sec. 4
 */
export function estimateGreedyAdvantages(
  trajectories: readonly { readonly total: number; readonly greedyTotal?: number }[],
): Float64Array {
  return Float64Array.from(trajectories, ({ total, greedyTotal }, index) => {
    if (greedyTotal !== undefined) return total - greedyTotal;
    throw new AppError(
      'contracts.invalid_value',
      `greedy baseline: trajectory ${index} has no greedyTotal; set needs.greedyBaseline of the algorithm to true`,
    );
  });
}

/** Lists the indices of each group, groups in order of appearance. */
export function listGroups<Key>(groups: ArrayLike<Key>): number[][] {
  const members = new Map<Key, number[]>();
  for (let i = 0; i < groups.length; i += 1) {
    const own = members.get(groups[i] as Key);
    if (own === undefined) members.set(groups[i] as Key, [i]);
    else own.push(i);
  }
  return [...members.values()];
}
