import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const temperature = z.number().gt(0);
const params = z.strictObject({
  ...options.normalization('group'),
  temperatureGood: temperature
    .default(1)
    .describe('how fast the gradient of good tokens fades as their ratio leaves 1'),
  temperatureBad: temperature.default(1.05).describe('the same for bad tokens; higher = sooner'),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'sapo',
  summary:
    'Soft adaptive policy optimization: the gradient of a token fades with its ratio instead of being clipped.',
  source: 'Gao et al. 2025, arXiv:2511.20347, eq. 5 and 6 (SAPO)',
  params,
  needs: options.needsReference,
  inert: (params, context) => [
    ...options.findInert(params, context),
    ...(context.optimizerStepsPerStep > 1 ? [] : ['temperatureGood', 'temperatureBad']),
  ],
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  lossAggregation: 'sequence-mean-token-mean',
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  policyLoss: ({ temperatureGood, temperatureBad, entropyCoefficient, ...reference }) =>
    objective.composePolicyLoss(
      'sapo',
      { temperatureGood, temperatureBad, entropyCoefficient },
      (input) => objective.softGate({ ...input, temperatureGood, temperatureBad }),
      reference,
    ),
});
