import {
  type Credit,
  type CreditTrajectory,
  defineAlgorithm,
  objective,
  options,
} from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  baseline: z
    .enum(['others', 'length-weighted', 'role'])
    .default('others')
    .describe(
      'what a total is compared with: the mean of the other totals of the group (RLOO), their mean weighted by length (OPO), or the moving average of earlier totals of the same environment tag (RAE)',
    ),
  baselineMemory: z
    .number()
    .min(0)
    .lt(1)
    .default(0.95)
    .describe(
      'baseline role: share of the moving average that each trajectory leaves; higher changes slower',
    ),
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});
type Params = z.output<typeof params>;

export default defineAlgorithm({
  id: 'rloo',
  summary:
    'REINFORCE with a leave-one-out baseline: each trajectory against the others of its group; no critic.',
  source:
    'Ahmadian et al. 2024, arXiv:2402.14740, sec. 2.3 (RLOO); baseline length-weighted: Hao et al. 2025, arXiv:2505.23585 (OPO); baseline role: Liu et al. 2025, arXiv:2506.24119 (SPIRAL)',
  params,
  needs: options.needsReference,
  inert: (params, context) => [
    ...(params.baseline === 'role' ? [] : ['baselineMemory']),
    ...options.findInert(params, context),
  ],
  minGroupSize: ({ baseline }) => (baseline === 'role' ? 1 : 2),
  startMemory: (params, tags) => ({
    ...options.adaptive.startMemory(params),
    ...(params.baseline === 'role' ? Object.fromEntries(tags.map((tag) => [averageOf(tag), 0])) : {}),
  }),
  nextMemory: options.adaptive.nextMemory,
  keptShare: () => 1,
  select: (groups, { baseline }) =>
    baseline === 'role'
      ? { kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }
      : options.keepComparable(groups),
  advantages: (trajectories, params, memory = {}) => {
    const { baseline } = params;
    if (baseline === 'role') return compareWithRole(trajectories, params, memory);
    const groups = trajectories.map(({ group }) => group);
    const lengths = trajectories.map(({ lossMask }) => lossMask.reduce((sum, bit) => sum + bit, 0));
    return objective.spreadCredit(trajectories, (amounts) =>
      baseline === 'others'
        ? objective.estimateLeaveOneOut(amounts, groups)
        : objective.estimateLengthWeighted(amounts, groups, lengths),
    );
  },
  policyLoss: (params) => objective.clippedPolicyLoss('rloo', params, params),
});

/** The name in the memory of the average of a role. */
const averageOf = (role: string): string => (role === '' ? 'baseline' : `baseline/${role}`);

/** All tokens of a trajectory get its total less the average of its role; evidence is a part of the total as any other. */
function compareWithRole(
  trajectories: readonly CreditTrajectory[],
  { baselineMemory }: Params,
  memory: Readonly<Record<string, number>>,
): Credit {
  const roles = trajectories.map(({ tag = '' }) => tag);
  const start = new Map(roles.map((role) => [role, memory[averageOf(role)] ?? 0]));
  const totals = trajectories.map(({ total }) => total);
  const { advantages: own, averages } = objective.estimateRoleAdvantages(totals, roles, {
    start,
    memory: baselineMemory,
  });
  const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
  const advantages = objective.broadcastToTokens(own, lossMask);
  return {
    advantages,
    metrics: objective.estimateAdvantageMetrics(advantages, lossMask),
    memory: Object.fromEntries([...averages].map(([role, average]) => [averageOf(role), average])),
  };
}
