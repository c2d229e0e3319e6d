import { type CreditTrajectory, defineAlgorithm, objective, ops } from '@espalier/plugin-kit';
import { z } from 'zod';

/** Each total less the mean of its group; what lies below the mean counts less. */
function compare(trajectories: readonly CreditTrajectory[], blame: number): number[] {
  return trajectories.map(({ group, total }) => {
    const totals = trajectories.filter((other) => other.group === group).map((other) => other.total);
    const difference = total - totals.reduce((sum, one) => sum + one, 0) / totals.length;
    return difference < 0 ? blame * difference : difference;
  });
}

export default defineAlgorithm({
  id: 'lean-group',
  summary: 'Group differences, of which those below the mean count less.',
  params: z.strictObject({
    blame: z.number().min(0).max(1).default(0.5).describe('weight of differences below the mean'),
    entropyCoefficient: z.number().min(0).default(0).describe('weight of the entropy bonus'),
  }),
  needs: () => ({ critic: false, reference: false }),
  minGroupSize: () => 2,
  keptShare: () => 1,
  select: (groups) => ({ kept: groups.map((_, index) => index), reasons: groups.map(() => 'kept') }),
  advantages: (trajectories, { blame }) => {
    const lossMask = trajectories.map((trajectory) => trajectory.lossMask);
    const advantages = objective.broadcastToTokens(compare(trajectories, blame), lossMask);
    return { advantages, metrics: objective.estimateAdvantageMetrics(advantages, lossMask) };
  },
  policyLoss: ({ entropyCoefficient }) =>
    objective.defineLoss({
      id: 'lean-group/policy',
      params: { entropyCoefficient },
      columns: ['oldLogprobs', 'advantages'],
      build: ({ logprobs, entropies, columns, params }) => {
        const ratio = ops.exp(ops.sub(logprobs, columns.oldLogprobs));
        const policy = {
          perToken: ops.neg(ops.mul(ratio, columns.advantages)),
          metrics: { 'policy/ratio': ratio },
        };
        return objective.combineTerms(policy, objective.entropyBonus(entropies, params.entropyCoefficient));
      },
    }),
});
