/**
 * @file Credit for undecided tokens only: advantages of all but the share of loss tokens with the highest entropy at
 * sampling are 0. Source: Wang et al. 2025, arXiv:2506.01939 (Beyond the 80/20 rule), sec. 5: J keeps
 * [H_t ≥ τ_ρ] · min(r A, clip(r) A), with τ_ρ the entropy that a share ρ of the batch reaches.
 *
 * Differences: the batch is the whole of a step, not each mini-batch; tokens as undecided as the last one count too; terms
 * of the loss without an advantage are as they were. Where a server reports no entropies, −logprob stands for them.
 */
import { defineMetric } from '@espalier/contracts';

const THRESHOLD = defineMetric({
  name: 'credit/entropy_threshold',
  unit: 'nats',
  formula:
    'least entropy at sampling of a loss token whose advantage counts; with update.topEntropyShare below 1',
});
const COUNTED_SHARE = defineMetric({
  name: 'credit/counted_token_share',
  unit: 'probability',
  formula: 'loss tokens whose advantage counts / loss tokens; with update.topEntropyShare below 1',
});

export interface TopEntropy {
  /** per trajectory: advantages, 0 where the token does not count */
  readonly advantages: readonly Float32Array[]; // each [n]
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Keeps the advantages of the most undecided tokens.
 *
 * @param entropies at sampling, nats; each [n]
 * @param share of all tokens, in (0, 1]
 */
export function keepUndecided(
  advantages: readonly Float32Array[], // each [n]
  entropies: readonly Float32Array[], // each [n]
  share: number,
): TopEntropy {
  if (share === 1) return { advantages, metrics: {} };
  const sorted = Float32Array.from(entropies.flatMap((own) => [...own])).sort();
  if (sorted.length === 0) return { advantages, metrics: {} };
  // the small term keeps 0.2 · 5 from rounding up to 2
  const count = Math.max(1, Math.ceil(share * sorted.length - 1e-9));
  const threshold = sorted[sorted.length - count] as number;
  let counted = 0;
  const kept = advantages.map((own, index) =>
    own.map((advantage, n) => {
      const isCounted = (entropies[index]?.[n] ?? 0) >= threshold;
      counted += Number(isCounted);
      return isCounted ? advantage : 0;
    }),
  );
  return {
    advantages: kept,
    metrics: { [THRESHOLD.name]: threshold, [COUNTED_SHARE.name]: counted / sorted.length },
  };
}
