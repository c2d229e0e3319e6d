import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const share = z.number().min(0).max(1);
const params = z.strictObject({
  turnGamma: share.default(0.95).describe('discount from one turn to the next'),
  lambda: share
    .default(0.95)
    .describe('1 = whole returns, lower = trust the critic more; between turns and within'),
  wholeTurns: z
    .boolean()
    .default(false)
    .describe('all tokens of a turn share its advantage, instead of credit within the turn'),
  gamma: share.default(1).describe('discount per loss token within a turn; without effect with wholeTurns'),
  ...options.clipBounds(),
  ...options.dualClip(),
  valueClip: z
    .number()
    .min(0)
    .default(0.5)
    .describe(
      'how far a value may move per rollout before its gradient stops, in reward, or in deviations of the returns with update.valueNormalization; 0 = off',
    ),
  ...options.criticEnsemble(),
  ...options.entropyBonus(),
  ...options.klPenalty(),
  ...options.klReward(),
});

export default defineAlgorithm({
  id: 'bi-level',
  summary:
    'PPO with a critic and credit on two levels: between turns first, then between the tokens of each.',
  source: 'Wang et al. 2025 (VAGEN), arXiv:2510.16907: bi-level GAE',
  params,
  needs: (params) => options.needsCritics(params),
  inert: (params, context) => [
    ...(params.wholeTurns ? ['gamma'] : []),
    ...options.findInert(params, context),
    ...((context.criticStepsPerStep ?? context.optimizerStepsPerStep) > 1 ? [] : ['valueClip']),
  ],
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
  advantages: (trajectories, params, memory) =>
    options.payForDivergence(trajectories, params, memory, (paid) =>
      objective.estimateCriticCredit(paid, params),
    ),
  policyLoss: (params) => objective.clippedPolicyLoss('bi-level', params, params),
  valueLoss: ({ valueClip }) => objective.clippedCriticLoss('bi-level', valueClip),
});
