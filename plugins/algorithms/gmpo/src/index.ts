import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  ...options.normalization('group'),
  clipLow: z
    .number()
    .gt(0)
    .max(20)
    .default(0.4)
    .describe('how far the log ratio of a token may fall below 0 where the trajectory is bad'),
  clipHigh: z
    .number()
    .gt(0)
    .max(20)
    .default(0.4)
    .describe('how far the log ratio of a token may rise above 0 where the trajectory is good'),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'gmpo',
  summary:
    'Geometric-mean policy optimization: the geometric mean of bounded ratios, so single tokens weigh little.',
  source: 'Zhao et al. 2025, arXiv:2507.20673, eq. 4 and 5 (GMPO)',
  params,
  needs: options.needsReference,
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  lossAggregation: 'sequence-mean-token-mean',
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  // every token has the ratio of its trajectory; those beyond their bound do not learn
  stepColumns: (sequences, { clipLow, clipHigh }) =>
    sequences.map(({ logprobs, columns }) => ({
      ...objective.estimateGeometricColumns({
        logprobs,
        oldLogprobs: columns['oldLogprobs'] ?? logprobs,
        advantages: columns['advantages'] ?? new Float32Array(logprobs.length),
        counted: columns['counted'],
        clipLow,
        clipHigh,
      }),
    })),
  policyLoss: ({ clipLow, clipHigh, entropyCoefficient, ...reference }) =>
    objective.composePolicyLoss(
      'gmpo',
      { clipLow, clipHigh, entropyCoefficient },
      objective.maskedRatio,
      reference,
      ['learns'],
    ),
});
