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
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
  ...options.klReward(),
});
type Params = z.output<typeof params>;

export default defineAlgorithm({
  id: 'reinforce-plus-plus',
  summary:
    'REINFORCE with the clipping of PPO, normalised over the whole batch instead of a group; no critic.',
  source: 'Hu et al. 2025, arXiv:2501.03262, eq. 4 to 7 (REINFORCE++)',
  params,
  needs: options.needsReference,
  inert: (params, context) => [
    ...(params.baseline === 'group' ? ['gamma'] : []),
    ...options.findInert(params, context),
  ],
  minGroupSize: ({ baseline }) => (baseline === 'group' ? 2 : 1),
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups, { baseline }) =>
    baseline === 'group'
      ? options.keepComparable(groups)
      : { kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') },
  advantages: (trajectories, params, memory) =>
    options.payForDivergence(trajectories, params, memory, (paid) =>
      objective.whitenCredit(
        paid,
        params.baseline === 'group'
          ? objective.estimateGroupCredit(paid, 'none').advantages
          : paid.map((trajectory) => estimateReturns(trajectory, params)),
      ),
    ),
  policyLoss: (params) => objective.clippedPolicyLoss('reinforce-plus-plus', params, params),
});

function estimateReturns(trajectory: CreditTrajectory, { gamma }: Params): Float64Array {
  const { lossMask } = trajectory;
  const { rewards } = objective.placeOnLossTokens(trajectory.rewards, trajectory.turnEnds, lossMask);
  return objective.estimateReturnsToGo({ rewards, lossMask, gamma });
}
