/** @file What another checkpoint would have thought of the tokens that a run has sampled. */
import type { PolicyEngine } from '@espalier/contracts';
import type { EvaluationResult } from '@espalier/protocol';
import type { StoredTrajectory } from '@espalier/recorder';
import { cutWindows } from '@espalier/rollout';

/** Scores of the sampled tokens of a trajectory, aligned with `positions`. */
export interface RescoredTokens {
  readonly positions: Int32Array; // [n]
  readonly logprobs: Float32Array; // [n] nats
  readonly entropies: Float32Array; // [n] nats
}

/**
 * Gives log-probability and entropy of every sampled token under a model, each in the window it was sampled in.
 *
 * @param temperature divides the logits, as at sampling
 */
export async function rescoreTokens(
  trajectory: StoredTrajectory,
  { policy }: PolicyEngine,
  temperature: number,
): Promise<RescoredTokens> {
  const positions = sampledPositions(trajectory);
  const parts = cutWindows(trajectory, positions);
  const answers = await policy.score(
    parts.map(({ tokens, positions: own }) => ({ tokens, positions: own, temperature })),
  );
  const logprobs = new Float32Array(positions.length);
  const entropies = new Float32Array(positions.length);
  for (const [index, { from }] of parts.entries()) {
    logprobs.set(answers[index]?.logprobs ?? [], from);
    entropies.set(answers[index]?.entropies ?? [], from);
  }
  return { positions, logprobs, entropies };
}

function sampledPositions({ tokens, turns }: StoredTrajectory): Int32Array {
  const sampled = turns.flatMap(({ sampled: { start, end } }) =>
    Array.from({ length: end - start }, (_, offset) => start + offset),
  );
  return Int32Array.from(sampled.filter((position) => position > 0 && position < tokens.length));
}

type StepTokens = NonNullable<EvaluationResult['rescoredTokens']>[number];

/** Compares stored and new scores, step by step. */
export function summarizeTokens(
  scored: readonly { readonly stored: StoredTrajectory; readonly tokens: RescoredTokens }[],
): StepTokens[] {
  const steps = [...new Set(scored.map(({ stored }) => stored.step))].sort((a, b) => a - b);
  return steps.map((step) => {
    const sums = { tokens: 0, stored: 0, model: 0, storedEntropy: 0, modelEntropy: 0, kl: 0 };
    for (const { stored, tokens } of scored.filter((one) => one.stored.step === step))
      tokens.positions.forEach((position, index) => {
        const [old, now] = [stored.logprobs[position] as number, tokens.logprobs[index] as number];
        sums.tokens += 1;
        sums.stored += old;
        sums.model += now;
        sums.storedEntropy += stored.entropies[position] as number;
        sums.modelEntropy += tokens.entropies[index] as number;
        sums.kl += Math.exp(now - old) - 1 - (now - old);
      });
    const mean = (sum: number): number => sum / sums.tokens;
    return {
      step,
      tokens: sums.tokens,
      logprobStored: mean(sums.stored),
      logprobModel: mean(sums.model),
      entropyStored: mean(sums.storedEntropy),
      entropyModel: mean(sums.modelEntropy),
      kl: mean(sums.kl),
    };
  });
}
