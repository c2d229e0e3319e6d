import {
  type Credit,
  type CreditTrajectory,
  defineAlgorithm,
  objective,
  options,
} from '@espalier/plugin-kit';
import { z } from 'zod';

const share = z.number().min(0).max(1);
const params = z.strictObject({
  estimator: z
    .enum(['gae', 'group', 'hybrid'])
    .default('gae')
    .describe(
      'where credit comes from: gae = a critic, group = comparison within the group, hybrid = both, the critic by what it explains of the variance of returns and the group by the rest',
    ),
  rewardAt: z
    .enum(['episode-end', 'turn-end'])
    .default('episode-end')
    .describe(
      'with a critic: the last token earns the whole total (the paper), or the last token of each turn what it paid',
    ),
  gamma: share.default(1).describe('with a critic: discount per loss token'),
  lambda: share.default(1).describe('with a critic: 1 = whole returns, lower = trust the critic more'),
  normalization: z
    .enum(['batch', 'group', 'none'])
    .default('group')
    .describe('estimator group and hybrid: what differences from the group mean are divided by'),
  ...options.clipBounds(),
  ...options.dualClip(),
  valueClip: z
    .number()
    .min(0)
    .default(0.5)
    .describe(
      'with a critic: how far a value may move per rollout before its gradient stops, in reward, or in deviations of the returns with update.valueNormalization; 0 = off',
    ),
  ...options.criticEnsemble(),
  ...options.entropyBonus(0.001),
  ...options.klPenalty(),
  ...options.klReward(),
});

export default defineAlgorithm({
  id: 'starpo',
  summary:
    'Trajectory-level policy optimization as first published: one trajectory is one sample, paid at its end.',
  source: 'Wang et al. 2025 (RAGEN), arXiv:2504.20073, sec. 2.2: StarPO',
  params,
  needs: (params) => options.needsCritics(params, params.estimator !== 'group'),
  inert: (params, context) => {
    const isCritic = params.estimator !== 'group';
    return [
      ...(params.estimator === 'gae' ? ['normalization'] : []),
      ...(isCritic ? [] : ['rewardAt', 'gamma', 'lambda', 'valueClip']),
      ...options.findInert(params, context, isCritic),
      ...(isCritic && (context.criticStepsPerStep ?? context.optimizerStepsPerStep) <= 1
        ? ['valueClip']
        : []),
    ];
  },
  minGroupSize: ({ estimator }) => (estimator === 'gae' ? 1 : 2),
  ...options.adaptive,
  keptShare: () => 1,
  select: (groups, { estimator }) =>
    estimator === 'gae'
      ? { kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }
      : options.keepComparable(groups),
  advantages: (trajectories, params, memory) => {
    const { estimator, rewardAt, normalization } = params;
    const earned =
      estimator === 'group' || rewardAt === 'turn-end' ? trajectories : trajectories.map(payAtEnd);
    return options.payForDivergence(earned, params, memory, (paid) => {
      if (estimator === 'group') return objective.estimateGroupCredit(paid, normalization);
      const ofCritic = objective.estimateCriticCredit(paid, params);
      return estimator === 'gae'
        ? ofCritic
        : blend(ofCritic, objective.estimateGroupCredit(paid, normalization));
    });
  },
  policyLoss: (params) => objective.clippedPolicyLoss('starpo', params, params),
  valueLoss: ({ valueClip }) => objective.clippedCriticLoss('starpo', valueClip),
});

/** Weighs the critic by its explained variance within 0 and 1, and the group by the rest; returns are the critic's. */
function blend(ofCritic: Credit, ofGroup: Credit): Credit {
  const explained = ofCritic.metrics?.['critic/explained_variance'] ?? 0;
  const weight = Math.min(1, Math.max(0, explained));
  const advantages = ofCritic.advantages.map((own, i) =>
    own.map((value, t) => weight * value + (1 - weight) * (ofGroup.advantages[i]?.[t] ?? 0)),
  );
  return { ...ofCritic, advantages };
}

/** Moves all rewards to the end of the last turn. */
function payAtEnd(trajectory: CreditTrajectory): CreditTrajectory {
  const rewards = new Float64Array(trajectory.rewards.length); // [T]
  const end = trajectory.turnEnds.at(-1);
  if (end !== undefined) rewards[end] = trajectory.rewards.reduce((sum, reward) => sum + reward, 0);
  return { ...trajectory, rewards };
}
