import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { policyLoss, valueLoss } from './loss.js';
import { params } from './params.js';

export default defineAlgorithm({
  id: 'starpo-s',
  summary:
    'Stabilised trajectory-level optimization: learns from the most uncertain groups, clips higher, has no KL term.',
  source: 'Wang et al. 2025 (RAGEN), arXiv:2504.20073: StarPO-S',
  params,
  needs: (own) => options.needsCritics(own, own.estimator === 'gae'),
  inert: (own, context) => [
    ...(own.estimator === 'gae' ? ['normalization'] : ['gamma', 'lambda']),
    ...options.findInert(own, context, own.estimator === 'gae'),
  ],
  minGroupSize: ({ estimator, keepRatio }) => (estimator === 'group' || keepRatio < 1 ? 2 : 1),
  ...options.adaptive,
  keptShare: ({ keepRatio }) => keepRatio,
  selectOptions: ['keepRatio'],
  select: (groups, { keepRatio, estimator }) => {
    const { kept, reasons, numbers } = objective.filterGroups(groups, {
      kind: 'ratio',
      value: keepRatio,
      zeros: 'keep',
    });
    if (estimator === 'gae') return { kept, reasons, numbers };
    const comparable = options.keepComparable(groups);
    return {
      kept: kept.filter((index) => comparable.kept.includes(index)),
      reasons: reasons.map((reason, index) =>
        reason === 'kept' ? (comparable.reasons[index] ?? reason) : reason,
      ),
      numbers,
    };
  },
  advantages: (trajectories, own) =>
    own.estimator === 'gae'
      ? objective.estimateCriticCredit(trajectories, own)
      : objective.estimateGroupCredit(trajectories, own.normalization),
  policyLoss,
  valueLoss,
});
