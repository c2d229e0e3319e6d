import { defineAlgorithm, objective, options } from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z.strictObject({
  compare: z
    .enum(['index', 'all'])
    .default('index')
    .describe(
      'turns of a group are compared at the same place of their trajectories, or all with each other',
    ),
  turnGamma: z
    .number()
    .min(0)
    .max(1)
    .default(0)
    .describe('discount of later turns in what a turn earned; 0 = only its own reward'),
  spread: z
    .boolean()
    .default(false)
    .describe(
      'each reward is divided among its turn and those before it, by turnGamma per turn, so that the shares add up to it (turn_credit of prime-rl); false: earlier turns get it once more, discounted',
    ),
  outcome: z
    .enum(['total', 'last-turn'])
    .default('total')
    .describe(
      'what trajectories are compared by: all they earned, or what their last turn earned, which then counts nowhere else (the paper)',
    ),
  outcomeWeight: z
    .number()
    .min(0)
    .default(0.5)
    .describe(
      'weight of the outcome, beside 1 for the turn; with outcome last-turn the last turn has it alone, with weight 1',
    ),
  normalization: z
    .enum(['group', 'none'])
    .default('group')
    .describe('what differences are divided by, of trajectories and of turns: their deviation, or 1'),
  ...options.clipBounds(),
  ...options.dualClip(0),
  ...options.entropyBonus(),
  ...options.klPenalty(),
});

export default defineAlgorithm({
  id: 'mt-grpo',
  summary:
    'Group-relative credit per turn: what a turn earned against the same turn of the other trajectories.',
  source:
    'Zeng et al. 2025, arXiv:2505.11821 (MT-GRPO); compare all: Baronio et al. 2025, arXiv:2507.11948, sec. 4.3 (Kevin)',
  params,
  needs: (params) => ({ ...options.needsReference(params), turnRewards: true }),
  inert: (params, context) => [
    ...(params.turnGamma === 0 ? ['spread'] : []),
    ...options.findInert(params, context),
  ],
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { compare, turnGamma, spread, outcome, outcomeWeight, normalization }) =>
    objective.estimateTurnCredit(trajectories, {
      compare,
      turnGamma,
      spread,
      normalization,
      turnWeight: 1,
      episodeWeight: outcomeWeight,
      outcome,
    }),
  policyLoss: (params) => objective.clippedPolicyLoss('mt-grpo', params, params),
});
