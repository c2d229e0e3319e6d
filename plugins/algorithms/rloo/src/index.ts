import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  baseline: z
    .enum(['others', 'length-weighted'])
    .default('others')
    .describe(
      'what a total is compared with: the mean of the other totals of the group (RLOO), or their mean weighted by length (OPO)',
    ),
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'rloo',
  summary:
    'REINFORCE with a leave-one-out baseline: each trajectory against the others of its group; no critic.',
  source:
    'Ahmadian et al. 2024, arXiv:2402.14740, sec. 2.3 (RLOO); baseline length-weighted: Hao et al. 2025, arXiv:2505.23585 (OPO)',
  params,
  needs: options.needsReference,
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { baseline }) => {
    const groups = trajectories.map(({ group }) => group);
    const lengths = trajectories.map(({ lossMask }) => lossMask.reduce((sum, bit) => sum + bit, 0));
    return objective.spreadCredit(trajectories, (amounts) =>
      baseline === 'others'
        ? objective.estimateLeaveOneOut(amounts, groups)
        : objective.estimateLengthWeighted(amounts, groups, lengths),
    );
  },
  policyLoss: (params) => objective.clippedPolicyLoss('rloo', params, params),
});
