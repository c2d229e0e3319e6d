import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { policyLoss } from './loss.js';
import { params } from './params.js';

export default defineAlgorithm({
  id: 'grpo',
  summary:
    'Group-relative policy optimization: trajectories from one state are compared with each other; no critic.',
  source:
    'Shao et al. 2024, arXiv:2402.03300, eq. 3; without divisor: Liu et al. 2025, arXiv:2503.20783, sec. 3.2',
  params,
  needs: options.needsReference,
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  policyLoss,
});
