import { type CreditTrajectory, defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  baseline: z
    .enum(['none', 'group'])
    .default('none')
    .describe(
      'none: what each token and those after it earn; group: the total less the mean of its group (REINFORCE++-baseline)',
    ),
  gamma: z.number().min(0).max(1).default(1).describe('baseline none: discount per loss token'),
  klRewardCoefficient: z
    .number()
    .min(0)
    .default(0)
    .describe(
      'baseline none: weight of the divergence from the starting policy, taken off the reward of each token; above 0 a reference copy is kept',
    ),
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});
type Params = z.output<typeof params>;

export default defineAlgorithm({
  id: 'reinforce-plus-plus',
  summary:
    'REINFORCE with the clipping of PPO, normalised over the whole batch instead of a group; no critic.',
  source: 'Hu et al. 2025, arXiv:2501.03262, eq. 4 to 7 (REINFORCE++)',
  params,
  needs: ({ baseline, klCoefficient, klRewardCoefficient }) => ({
    critic: false,
    reference: klCoefficient > 0 || (baseline === 'none' && klRewardCoefficient > 0),
  }),
  inert: (params, context) => [
    ...(params.baseline === 'group' ? ['gamma', 'klRewardCoefficient'] : []),
    ...options.findInert(params, context),
  ],
  minGroupSize: ({ baseline }) => (baseline === 'group' ? 2 : 1),
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups, { baseline }) =>
    baseline === 'group'
      ? options.keepComparable(groups)
      : { kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') },
  advantages: (trajectories, params) =>
    objective.whitenCredit(
      trajectories,
      params.baseline === 'group'
        ? objective.estimateGroupCredit(trajectories, 'none').advantages
        : trajectories.map((trajectory) => estimateReturns(trajectory, params)),
    ),
  policyLoss: (params) => objective.clippedPolicyLoss('reinforce-plus-plus', params, params),
});

/** Returns-to-go of the rewards, less the weighted divergence of each token. */
function estimateReturns(trajectory: CreditTrajectory, { gamma, klRewardCoefficient }: Params): Float64Array {
  const { lossMask, referenceGaps } = trajectory;
  const { rewards } = objective.placeOnLossTokens(trajectory.rewards, trajectory.turnEnds, lossMask);
  const penalized = rewards.map((reward, t) => reward - klRewardCoefficient * (referenceGaps?.[t] ?? 0));
  return objective.estimateReturnsToGo({ rewards: penalized, lossMask, gamma });
}
