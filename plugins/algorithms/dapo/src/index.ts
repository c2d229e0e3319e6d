import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  dropEqual: z
    .boolean()
    .default(true)
    .describe('leave out groups whose totals are all equal, which would only make the others count less'),
  ...options.normalization('group'),
  ...options.clipBounds(0.2, 0.28),
  ...options.dualClip(0),
  ...options.entropyBonus(),
});

export default defineAlgorithm({
  id: 'dapo',
  summary: 'Clips higher than lower, leaves out groups that agree, has no penalty; averages over tokens.',
  source: 'Yu et al. 2025, arXiv:2503.14476, eq. 8 to 11 (DAPO)',
  params,
  needs: () => ({ critic: false, reference: false }),
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  selectOptions: ['dropEqual'],
  resample: ({ dropEqual }) => (dropEqual ? 3 : 0),
  select: (groups, { dropEqual }) => {
    const comparable = options.keepComparable(groups);
    if (!dropEqual) return comparable;
    const differing = objective.filterGroups(groups, { kind: 'absolute', value: 0, zeros: 'drop' });
    return {
      ...differing,
      reasons: comparable.reasons.map((reason, index) =>
        reason === 'kept' ? (differing.reasons[index] ?? reason) : reason,
      ),
    };
  },
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  policyLoss: (params) => objective.clippedPolicyLoss('dapo', params),
});
