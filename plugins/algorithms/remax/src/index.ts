import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

export default defineAlgorithm({
  id: 'remax',
  summary:
    'REINFORCE with what the policy earns greedily from the same state as baseline; no critic, and one sample per state is enough.',
  source: 'Li et al. 2023, arXiv:2310.10505, sec. 4 (ReMax)',
  params: z.strictObject({
    ...options.clipBounds(),
    ...options.dualClip(0),
    ...options.entropyBonus(),
    ...options.klPenalty(),
  }),
  needs: (params) => ({ ...options.needsReference(params), greedyBaseline: true }),
  inert: options.findInert,
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups) => ({
    kept: groups.map((_, index) => index),
    reasons: groups.map(() => 'kept'),
  }),
  advantages: (trajectories) => {
    const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
    const own = objective.estimateGreedyAdvantages(trajectories);
    const advantages = objective.broadcastToTokens(own, lossMask);
    return { advantages, metrics: objective.estimateAdvantageMetrics(advantages, lossMask) };
  },
  policyLoss: (params) => objective.clippedPolicyLoss('remax', params, params),
});
