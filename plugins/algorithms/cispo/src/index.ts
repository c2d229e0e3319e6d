import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  ...options.normalization('group'),
  clipLow: z
    .number()
    .gt(0)
    .max(1)
    .default(1)
    .describe('the least weight of a token is 1 less this; 1 = no lower bound'),
  clipHigh: z.number().gt(0).default(4).describe('the greatest weight of a token is 1 plus this'),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'cispo',
  summary:
    'Bounds the importance weight of a token instead of its update, so that rare tokens keep learning.',
  source: 'MiniMax 2025, arXiv:2506.13585, eq. 4 and 5 (CISPO)',
  params,
  needs: options.needsReference,
  inert: options.findInert,
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  policyLoss: ({ clipLow, clipHigh, entropyCoefficient, ...reference }) =>
    objective.composePolicyLoss(
      'cispo',
      { clipLow, clipHigh, entropyCoefficient },
      (input) => objective.truncatedImportance({ ...input, clipLow, clipHigh }),
      reference,
      [],
      { name: 'cispo', lowest: Math.max(0, 1 - clipLow), highest: 1 + clipHigh },
    ),
});
