import { defineAlgorithm, objective } from '@espalier/plugin-kit';
import { policyLoss, valueLoss } from './loss.js';
import { params } from './params.js';

export default defineAlgorithm({
  id: 'ppo',
  summary:
    'Proximal policy optimization with a critic; credit over the tokens the model wrote, across all turns.',
  source:
    'Schulman et al. 2017, arXiv:1707.06347, eq. 7; credit: Schulman et al. 2016, arXiv:1506.02438, eq. 16',
  params,
  needs: ({ klCoefficient }) => ({ critic: true, reference: klCoefficient > 0 }),
  inert: ({ klCoefficient }, { optimizerStepsPerStep, criticStepsPerStep = optimizerStepsPerStep }) => [
    ...(klCoefficient > 0 ? [] : ['klEstimator']),
    ...(optimizerStepsPerStep > 1 ? [] : ['clipLow', 'clipHigh', 'dualClip']),
    ...(criticStepsPerStep > 1 ? [] : ['valueClip']),
  ],
  keptShare: () => 1,
  select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
  advantages: (trajectories, options) => objective.estimateCriticCredit(trajectories, options),
  policyLoss,
  valueLoss,
});
