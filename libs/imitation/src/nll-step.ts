/** @file One optimizer step of imitation on a batch of the teacher's episodes; the engine cuts it into micro-batches. */
import type { Datum, OptimizerSpec, PolicyModel } from '@espalier/contracts';
import { nllLoss } from '@espalier/objective';
import { cutWindows } from '@espalier/rollout';
import type { TaughtBatch } from './curriculum.js';
import type { Demonstration } from './demonstration.js';

/** An episode, or one window of it, with the index of its demonstration. */
export interface TaughtDatum {
  readonly datum: Datum;
  readonly demonstration: number;
}

/** Cuts a batch into the sequences that are trained; each loss token has the same weight, and all of them add up to 1. */
export function cutSequences(batch: TaughtBatch): TaughtDatum[] {
  const weight = 1 / batch.lossTokens;
  return batch.episodes.flatMap((episode, i) =>
    cutWindows(episode, episode.positions).map(({ tokens, positions }) => ({
      datum: { tokens, positions, weights: new Float32Array(positions.length).fill(weight), columns: {} },
      demonstration: batch.demonstrations[i]!,
    })),
  );
}

export interface NllStepResult {
  /** mean negative log-likelihood of the loss tokens per demonstration, nats */
  readonly losses: Readonly<Record<string, number>>;
  readonly gradientNorm: number;
}

/** Trains on a batch. */
export async function learnBatch(
  policy: PolicyModel,
  demonstrations: readonly Demonstration[],
  batch: TaughtBatch,
  options: { readonly optimizer: OptimizerSpec; readonly learningRate: number },
): Promise<NllStepResult> {
  const sums = demonstrations.map(() => 0);
  const counts = demonstrations.map(() => 0);
  const sequences = cutSequences(batch);
  const { scores = [] } = await policy.forwardBackward(
    sequences.map(({ datum }) => datum),
    nllLoss,
  );
  for (const [i, { logprobs }] of scores.entries()) {
    const index = sequences[i]!.demonstration;
    counts[index]! += logprobs.length;
    for (const logprob of logprobs) sums[index]! -= logprob;
  }
  const { beta1, beta2, epsilon, weightDecay, maxGradientNorm } = options.optimizer;
  const { learningRate } = options;
  const { gradientNorm } = await policy.optimizerStep({
    learningRate,
    beta1,
    beta2,
    epsilon,
    weightDecay,
    maxGradientNorm,
  });
  const losses = Object.fromEntries(
    demonstrations.flatMap(({ name }, i) => (counts[i]! > 0 ? [[name, sums[i]! / counts[i]!] as const] : [])),
  );
  return { losses, gradientNorm };
}
