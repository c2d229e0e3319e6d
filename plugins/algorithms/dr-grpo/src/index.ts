import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'dr-grpo',
  summary:
    'GRPO done right: differences from the group mean, divided neither by a deviation nor by a length.',
  source: 'Liu et al. 2025, arXiv:2503.20783, sec. 3.2 (Dr. GRPO)',
  params,
  needs: options.needsReference,
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  lossAggregation: 'sequence-mean-token-sum',
  select: options.keepComparable,
  advantages: (trajectories) => objective.estimateGroupCredit(trajectories, 'none'),
  policyLoss: (params) => objective.clippedPolicyLoss('dr-grpo', params, params),
});
