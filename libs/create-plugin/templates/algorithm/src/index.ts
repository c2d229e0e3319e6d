import { type CreditTrajectory, defineAlgorithm, objective, ops } from '@espalier/plugin-kit';
import { z } from 'zod';

/** Each total less the mean of the other totals of its group. */
function compareWithOthers(trajectories: readonly CreditTrajectory[]): number[] {
  return trajectories.map(({ group, total }, index) => {
    const others = trajectories.filter((other, place) => other.group === group && place !== index);
    if (others.length === 0) return 0;
    return total - others.reduce((sum, other) => sum + other.total, 0) / others.length;
  });
}

export default defineAlgorithm({
  id: 'my-plugin',
  summary: 'REINFORCE with the other trajectories of the group as baseline.',
  source: 'Ahmadian et al. 2024, arXiv:2402.14740 (RLOO)',
  params: z.strictObject({
    entropyCoefficient: z.number().min(0).default(0).describe('weight of the entropy bonus'),
  }),
  needs: () => ({ critic: false, reference: false }),
  minGroupSize: () => 2,
  keptShare: () => 1,
  select: (groups) => ({
    kept: groups.map((_, index) => index),
    reasons: groups.map(() => 'kept'),
  }),
  advantages: (trajectories) => {
    const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
    const advantages = objective.broadcastToTokens(compareWithOthers(trajectories), lossMask);
    return { advantages, metrics: objective.estimateAdvantageMetrics(advantages, lossMask) };
  },
  policyLoss: ({ entropyCoefficient }) =>
    objective.defineLoss({
      id: 'my-plugin/policy',
      params: { entropyCoefficient },
      columns: ['oldLogprobs', 'advantages'],
      build: ({ logprobs, entropies, columns, params }) => {
        const ratio = ops.exp(ops.sub(logprobs, columns.oldLogprobs)); // 1 in a first step
        const policy = {
          perToken: ops.neg(ops.mul(ratio, columns.advantages)),
          metrics: { 'policy/ratio': ratio },
        };
        return objective.combineTerms(policy, objective.entropyBonus(entropies, params.entropyCoefficient));
      },
    }),
});
