import { type CreditTrajectory, defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const share = z.number().min(0).max(1);
const params = z.strictObject({
  estimator: z
    .enum(['gae', 'group'])
    .default('gae')
    .describe('where credit comes from: gae = a critic, group = comparison within the group'),
  rewardAt: z
    .enum(['episode-end', 'turn-end'])
    .default('episode-end')
    .describe(
      'estimator gae: the last token earns the whole total (the paper), or the last token of each turn what it paid',
    ),
  gamma: share.default(1).describe('estimator gae: discount per loss token'),
  lambda: share.default(1).describe('estimator gae: 1 = whole returns, lower = trust the critic more'),
  normalization: z
    .enum(['batch', 'group', 'none'])
    .default('group')
    .describe('estimator group: what differences from the group mean are divided by'),
  ...options.clipBounds(),
  ...options.dualClip(),
  valueClip: z
    .number()
    .min(0)
    .default(0.5)
    .describe(
      'estimator gae: how far a value may move per rollout before its gradient stops, in reward, or in deviations of the returns with update.valueNormalization; 0 = off',
    ),
  ...options.entropyBonus(0.001),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'starpo',
  summary:
    'Trajectory-level policy optimization as first published: one trajectory is one sample, paid at its end.',
  source: 'Wang et al. 2025 (RAGEN), arXiv:2504.20073, sec. 2.2: StarPO',
  params,
  needs: (params) => ({ ...options.needsReference(params), critic: params.estimator === 'gae' }),
  inert: (params, context) => {
    const isCritic = params.estimator === 'gae';
    return [
      ...(isCritic ? ['normalization'] : ['rewardAt', 'gamma', 'lambda', 'valueClip']),
      ...options.findInert(params, context),
      ...(isCritic && (context.criticStepsPerStep ?? context.optimizerStepsPerStep) <= 1
        ? ['valueClip']
        : []),
    ];
  },
  minGroupSize: ({ estimator }) => (estimator === 'group' ? 2 : 1),
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups, { estimator }) =>
    estimator === 'group'
      ? options.keepComparable(groups)
      : { kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') },
  advantages: (trajectories, { estimator, rewardAt, gamma, lambda, normalization }) => {
    if (estimator === 'group') return objective.estimateGroupCredit(trajectories, normalization);
    const paid = rewardAt === 'turn-end' ? trajectories : trajectories.map(payAtEnd);
    return objective.estimateCriticCredit(paid, { gamma, lambda });
  },
  policyLoss: (params) => objective.clippedPolicyLoss('starpo', params, params),
  valueLoss: ({ valueClip }) => objective.clippedCriticLoss('starpo', valueClip),
});

/** Moves all rewards to the end of the last turn. */
function payAtEnd(trajectory: CreditTrajectory): CreditTrajectory {
  const rewards = new Float64Array(trajectory.rewards.length); // [T]
  const end = trajectory.turnEnds.at(-1);
  if (end !== undefined) rewards[end] = trajectory.rewards.reduce((sum, reward) => sum + reward, 0);
  return { ...trajectory, rewards };
}
