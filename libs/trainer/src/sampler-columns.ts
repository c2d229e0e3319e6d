/**
 * @file The correction between sampler and trainer as columns of training examples. Without it the log-probabilities at
 * sampling are the old ones of every ratio; with it the trainer computes the old ones before the update, and
 * the column samplerWeights holds the weight of each token in the policy loss, whatever the algorithm.
 */
import type { RunSpec, ScoringModel, Trajectory } from '@espalier/contracts';
import { resolveSamplerCorrection } from '@espalier/contracts/sampler-correction';
import { correctSampling, estimateSamplerMetrics } from '@espalier/objective';
import { cutWindows } from '@espalier/rollout';
import { askByWindow, joinScores, pick } from './batch.js';

export interface SamplerColumns {
  /** by the trainer, under the weights before the update: those that sampled, unless it was sampled ahead or is replayed */
  readonly oldLogprobs: Float32Array; // [n]
  readonly oldEntropies: Float32Array; // [n]
  readonly samplerWeights: Float32Array; // [n]
}

export interface CorrectedSampling {
  /** of each trajectory; none: there is no correction */
  readonly columns: readonly (SamplerColumns & Record<string, Float32Array>)[];
  readonly metrics: Readonly<Record<string, number>>;
}

/** Scores the loss tokens once more and weighs them as `update.samplerCorrection` says. */
export async function correctSampler(
  scored: readonly { readonly trajectory: Trajectory; readonly positions: Int32Array }[],
  spec: RunSpec,
  policy: Pick<ScoringModel, 'score'>,
): Promise<CorrectedSampling> {
  const rule = resolveSamplerCorrection(spec);
  if (rule === undefined) return { columns: [], metrics: {} };
  const scores = await askByWindow(
    scored,
    spec.rollout.temperature,
    (asked) => policy.score(asked),
    joinScores,
  );
  const corrected = scored.map(({ trajectory, positions }, index) => {
    const logprobs = scores[index]?.logprobs ?? new Float32Array();
    const sampled = pick(trajectory.logprobs, positions);
    const depths = cutWindows(trajectory, positions).flatMap((part) => [...part.positions]);
    return { ...correctSampling({ logprobs, sampled }, rule), depths };
  });
  return {
    columns: corrected.map(({ weights }, index) => ({
      oldLogprobs: scores[index]?.logprobs ?? new Float32Array(),
      oldEntropies: scores[index]?.entropies ?? new Float32Array(),
      samplerWeights: weights,
    })),
    metrics: estimateSamplerMetrics(corrected, rule),
  };
}
