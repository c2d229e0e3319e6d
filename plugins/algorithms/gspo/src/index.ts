import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  ...options.normalization('group'),
  ...options.clipBounds(3e-4, 4e-4),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'gspo',
  summary:
    'Group sequence policy optimization: ratios, and so clipping, of whole trajectories instead of tokens.',
  source: 'Zheng et al. 2025, arXiv:2507.18071, eq. 5 to 7 (GSPO)',
  params,
  needs: options.needsReference,
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  lossAggregation: 'sequence-mean-token-mean',
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  // every token has the ratio of its trajectory
  stepColumns: (sequences) =>
    sequences.map(({ logprobs, columns }) => ({
      oldLogprobs: objective.estimateSequenceLogprobs({
        logprobs,
        oldLogprobs: columns['oldLogprobs'] ?? logprobs,
      }),
    })),
  policyLoss: (params) => objective.clippedPolicyLoss('gspo', { ...params, dualClip: 0 }, params),
});
