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

/** As an evaluation tells them: four decimals, as stored ones have. */
export function describeTokens({
  positions,
  logprobs,
  entropies,
}: RescoredTokens): NonNullable<EvaluationResult['rescoredTrajectory']> {
  const rounded = (values: Float32Array): (number | null)[] =>
    Array.from(values, (value) => (Number.isFinite(value) ? Math.round(value * 1e4) / 1e4 : null));
  return { positions: [...positions], logprobs: rounded(logprobs), entropies: rounded(entropies) };
}

type StepTokens = NonNullable<EvaluationResult['rescoredTokens']>[number];

/** Compares stored and new scores; keeps sums of each step. */
export interface TokenComparison {
  add(stored: StoredTrajectory, tokens: RescoredTokens): void;
  /** step by step */
  result(): StepTokens[];
}

export function createTokenComparison(): TokenComparison {
  const none = { tokens: 0, stored: 0, model: 0, storedEntropy: 0, modelEntropy: 0, kl: 0 };
  const steps = new Map<number, typeof none>();
  return {
    add(stored, tokens) {
      const sums = steps.get(stored.step) ?? { ...none };
      steps.set(stored.step, sums);
      tokens.positions.forEach((position, index) => {
        const [old, now] = [stored.logprobs[position] as number, tokens.logprobs[index] as number];
        sums.tokens += 1;
        sums.stored += old;
        sums.model += now;
        sums.storedEntropy += stored.entropies[position] as number;
        sums.modelEntropy += tokens.entropies[index] as number;
        sums.kl += Math.exp(now - old) - 1 - (now - old);
      });
    },
    result: () =>
      [...steps]
        .sort(([a], [b]) => a - b)
        .map(([step, { tokens, ...sums }]) => ({
          step,
          tokens,
          logprobStored: sums.stored / tokens,
          logprobModel: sums.model / tokens,
          entropyStored: sums.storedEntropy / tokens,
          entropyModel: sums.modelEntropy / tokens,
          kl: sums.kl / tokens,
        })),
  };
}
