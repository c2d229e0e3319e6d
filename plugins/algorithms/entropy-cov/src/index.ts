import {
  createStream,
  defineAlgorithm,
  deriveSeed,
  objective,
  options,
  type StepSequence,
} from '@espalier/plugin-kit';
import { z } from 'zod';

const params = z
  .strictObject({
    remedy: z
      .enum(['clip', 'penalty'])
      .default('clip')
      .describe(
        'what happens to tokens of large covariance: clip = their gradient is taken off (Clip-Cov), penalty = they are pulled back to where they were (KL-Cov)',
      ),
    share: z
      .number()
      .gt(0)
      .max(1)
      .default(0.002)
      .describe('share of the tokens of a mini-batch that are held back; at least one token'),
    low: z
      .number()
      .default(1)
      .describe('remedy clip: tokens are drawn from those with a covariance above this'),
    high: z.number().default(5).describe('remedy clip: and below this'),
    coefficient: z
      .number()
      .gt(0)
      .default(1)
      .describe('remedy penalty: weight of |logprob − oldLogprob| of these tokens'),
    ...options.normalization('group'),
    ...options.clipBounds(),
    ...options.entropyBonus(),
    ...options.klPenalty(),
  })
  .refine(({ low, high }) => low < high, { path: ['high'], message: 'expected more than low' });

export default defineAlgorithm({
  id: 'entropy-cov',
  summary: 'Keeps entropy by holding back the few tokens that would lower it most: Clip-Cov and KL-Cov.',
  source: 'Cui et al. 2025, arXiv:2505.22617, eq. 10 to 14 (Clip-Cov, KL-Cov)',
  params,
  needs: options.needsReference,
  inert: (own, context) => {
    const hasMoved = context.optimizerStepsPerStep > 1;
    if (own.remedy === 'clip') return [...options.findInert(own, context), 'coefficient'];
    // there is no bound of ratios, and a policy that has not moved is not pulled back
    const shared = options.findInert(own, { optimizerStepsPerStep: 2 });
    return [...shared, 'clipLow', 'clipHigh', 'low', 'high', ...(hasMoved ? [] : ['share', 'coefficient'])];
  },
  minGroupSize: () => 2,
  ...options.adaptive,
  keptShare: () => 1,
  select: options.keepComparable,
  advantages: (trajectories, { normalization }) => objective.estimateGroupCredit(trajectories, normalization),
  stepColumns: (sequences, own) => chooseHeld(sequences, own).map((held) => ({ held })),
  policyLoss: ({
    remedy,
    share,
    low,
    high,
    coefficient,
    clipLow,
    clipHigh,
    entropyCoefficient,
    ...reference
  }) => {
    const shared = { share, entropyCoefficient };
    if (remedy === 'penalty')
      return objective.composePolicyLoss(
        'kl-cov',
        { ...shared, coefficient },
        (input) => objective.penalizedCovariance({ ...input, coefficient }),
        reference,
        ['held'],
      );
    const bounds = { clipLow, clipHigh, dualClip: 0 };
    return objective.composePolicyLoss(
      'clip-cov',
      { ...shared, ...bounds, low, high },
      (input) => objective.clippedCovariance({ ...input, ...bounds }),
      reference,
      ['held'],
    );
  },
});

/** Marks the tokens of a mini-batch that are held back. */
function chooseHeld(
  sequences: readonly StepSequence[],
  { remedy, share, low, high, clipLow, clipHigh }: z.output<typeof params>,
): Float32Array[] {
  const tokens = sequences.map(({ logprobs, columns }) => ({
    logprobs,
    advantages: columns['advantages'] ?? new Float32Array(logprobs.length),
  }));
  const covariances = objective.estimateCovariances(tokens);
  if (remedy === 'penalty') return objective.chooseByCovariance(covariances, { share });
  // hooks have no seed, so the draw depends on the mini-batch: the same one is treated the same when a run is resumed
  const sum = covariances.reduce((total, own) => own.reduce((a, b) => a + b, total), 0);
  const stream = createStream(deriveSeed(sequences.length, 'clip-cov', String(sum)));
  const isClipped = sequences.map(({ logprobs, columns }) =>
    logprobs.map((logprob, t) => {
      const ratio = Math.exp(logprob - (columns['oldLogprobs']?.[t] ?? logprob));
      const advantage = columns['advantages']?.[t] ?? 0;
      return Number((advantage > 0 && ratio > 1 + clipHigh) || (advantage < 0 && ratio < 1 - clipLow));
    }),
  );
  const choice = { share, low, high, draw: (count: number) => stream.int(count) };
  return objective.chooseByCovariance(covariances, choice, isClipped);
}
