/** @file One optimizer step of imitation: a batch of the teacher's episodes, in micro-batches that affect only memory. */
import type { OptimizerSpec, PolicyModel } from '@espalier/contracts';
import { nllLoss } from '@espalier/objective';
import type { TaughtBatch } from './curriculum.js';
import type { Demonstration } from './demonstration.js';
import { cutMicroBatches } from './micro-batches.js';

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
  options: Parameters<typeof cutMicroBatches>[1] & {
    readonly optimizer: OptimizerSpec;
    readonly learningRate: number;
  },
): Promise<NllStepResult> {
  const sums = demonstrations.map(() => 0);
  const counts = demonstrations.map(() => 0);
  for (const part of cutMicroBatches(batch, options)) {
    const { scores = [] } = await policy.forwardBackward(
      part.map(({ datum }) => datum),
      nllLoss,
    );
    for (const [i, { logprobs }] of scores.entries()) {
      const index = part[i]!.demonstration;
      counts[index]! += logprobs.length;
      for (const logprob of logprobs) sums[index]! -= logprob;
    }
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
