import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  normalization: z
    .enum(['group', 'none'])
    .default('group')
    .describe('what differences are divided by, of trajectories and of turns: their deviation, or 1'),
  turnGamma: z.number().min(0).max(1).default(0.95).describe('discount of rewards from one turn to the next'),
  turnWeight: z
    .number()
    .gt(0)
    .default(1)
    .describe('weight of the comparison of turns from the same state, beside 1 for that of trajectories'),
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'gigpo',
  summary:
    'Group-in-group optimization: trajectories of a group are compared, and turns from the same state.',
  source: 'Feng et al. 2025, arXiv:2505.10978, eq. 3 to 8 (GiGPO)',
  params,
  needs: (params) => ({ ...options.needsReference(params), turnRewards: true }),
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { normalization, turnGamma, turnWeight }) =>
    objective.estimateTurnCredit(trajectories, {
      compare: 'state',
      normalization,
      turnGamma,
      turnWeight,
      episodeWeight: 1,
    }),
  policyLoss: (params) => objective.clippedPolicyLoss('gigpo', params, params),
});
