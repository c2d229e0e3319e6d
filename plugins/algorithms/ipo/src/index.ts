import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  ...options.normalization('none'),
  maxShift: z
    .number()
    .gt(0)
    .max(1)
    .default(0.1)
    .describe(
      'how far the probability of a token may move from that at sampling, up or down, before the token stops learning',
    ),
  pull: z
    .number()
    .min(0)
    .default(1e-3)
    .describe(
      'weight of the squared log ratio, which pulls every token back to where it was sampled; 0 = off',
    ),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'ipo',
  summary: 'Masks tokens by how far their probability has moved, not their ratio, on both sides; no critic.',
  source: 'prime-rl, loss ipo; mask by probability: Qi et al. 2026, arXiv:2602.04879 (DPPO)',
  params,
  needs: options.needsReference,
  inert: (params, context) => [
    ...options.findInert(params, context),
    // until the policy has moved, no probability has, and the pull has no gradient
    ...(context.optimizerStepsPerStep > 1 ? [] : ['maxShift', 'pull']),
  ],
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  policyLoss: ({ maxShift, pull, entropyCoefficient, ...reference }) =>
    objective.composePolicyLoss(
      'ipo',
      { maxShift, pull, entropyCoefficient },
      (input) => objective.probabilityMask({ ...input, maxShift, pull }),
      reference,
    ),
});
