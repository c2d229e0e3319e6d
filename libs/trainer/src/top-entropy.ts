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
  /** per trajectory: 1 where the token counts, else 0; absent: all do */
  readonly counted?: readonly Float32Array[]; // each [n]
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
  const counted = entropies.map((own) => own.map((entropy) => Number(entropy >= threshold)));
  const kept = advantages.map((own, index) =>
    own.map((advantage, n) => (counted[index]?.[n] === 1 ? advantage : 0)),
  );
  const total = counted.reduce((sum, own) => sum + own.reduce((a, b) => a + b, 0), 0);
  return {
    advantages: kept,
    counted,
    metrics: { [THRESHOLD.name]: threshold, [COUNTED_SHARE.name]: total / sorted.length },
  };
}
