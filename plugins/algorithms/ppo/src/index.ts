import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { policyLoss, valueLoss } from './loss.js';
import { params } from './params.js';

export default defineAlgorithm({
  id: 'ppo',
  summary:
    'Proximal policy optimization with a critic; credit over the tokens the model wrote, across all turns.',
  source:
    'Schulman et al. 2017, arXiv:1707.06347, eq. 7; credit: Schulman et al. 2016, arXiv:1506.02438, eq. 16',
  params,
  needs: (own) => options.needsCritics(own),
  inert: (own, context) => [
    ...options.findInert(own, context),
    ...((context.criticStepsPerStep ?? context.optimizerStepsPerStep) > 1 ? [] : ['valueClip']),
  ],
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
  advantages: (trajectories, own, memory) =>
    options.payForDivergence(trajectories, own, memory, (paid) => objective.estimateCriticCredit(paid, own)),
  policyLoss,
  valueLoss,
});
