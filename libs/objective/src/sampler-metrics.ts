/**
 * @file How far the sampler is from the trainer, and what the correction does about it, over all loss tokens of an
 * iteration and by context depth: a mismatch that grows with the depth points to positions or to the cache.
 */
import { defineMetric } from '@espalier/contracts';
import type { SamplerCorrection } from '@espalier/contracts/sampler-correction';
import type { CorrectedTokens } from './sampler-correction.js';

const definitions: readonly (readonly [name: string, unit: string, formula: string])[] = [
  [
    'sampler/kl_k1',
    'nats',
    'mean over loss tokens of sampler − trainer log-probability: an estimate of KL(sampler || trainer); with tokens of an older policy (rollout.ahead, update.replay) it holds what was learned since, too',
  ],
  [
    'sampler/kl_k3',
    'nats',
    'mean over loss tokens of ρ − 1 − log ρ, where ρ = trainer / sampler probability: an estimate of the same that is never negative',
  ],
  ['sampler/ratio_mean', '1', 'mean over loss tokens of trainer / sampler probability'],
  ['sampler/ratio_max', '1', 'largest trainer / sampler probability of a loss token'],
  ['sampler/weight_mean', '1', 'mean over loss tokens of the weight that the correction gives'],
  [
    'sampler/clipped_share',
    'probability',
    'share of loss tokens whose weight was truncated; with a correction that truncates',
  ],
  [
    'sampler/masked_share',
    'probability',
    'share of loss tokens that were masked; with a correction that masks',
  ],
];
for (const [name, unit, formula] of definitions) defineMetric({ name, unit, formula });

const ofDepth = ['kl_k1', 'kl_k3', 'ratio_max', 'clipped_share', 'masked_share'];
for (const name of ofDepth)
  defineMetric({
    name: `sampler/${name}/depth_<from>`,
    unit: definitions.find(([whole]) => whole === `sampler/${name}`)?.[1] ?? '1',
    formula: `sampler/${name} of the loss tokens at context depths from <from> (0, 128, 256, 512 …) to below the next`,
  });

/** Corrected loss tokens of one trajectory, and where they were sampled. */
export interface PlacedTokens extends CorrectedTokens {
  /** tokens before each one in its prompt */
  readonly depths: ArrayLike<number>; // [n]
}

/** Upper end of the first range of depths; each further one is as wide as all before it. */
const FIRST_DEPTH = 128;

/** Computes the metrics of a batch; none for a batch without loss tokens. */
export function estimateSamplerMetrics(
  batch: readonly PlacedTokens[],
  { use }: Pick<SamplerCorrection, 'use'>,
): Record<string, number> {
  const share = use === 'truncated' || use === 'sequence-truncated' ? 'clipped_share' : 'masked_share';
  const all = createTotals();
  const byDepth = new Map<number, Totals>();
  for (const { ratios, weights, bounded, depths } of batch)
    ratios.forEach((ratio, t) => {
      const from = depthFrom(depths[t] as number);
      const own = byDepth.get(from) ?? createTotals();
      byDepth.set(from, own);
      for (const totals of [all, own]) addToken(totals, ratio, weights[t] as number, bounded[t] as number);
    });
  if (all.count === 0) return {};
  const metrics: Record<string, number> = {
    ...describeTotals(all, share),
    'sampler/ratio_mean': all.ratio / all.count,
    'sampler/weight_mean': all.weight / all.count,
  };
  for (const from of [...byDepth.keys()].sort((a, b) => a - b))
    for (const [name, value] of Object.entries(describeTotals(byDepth.get(from) as Totals, share)))
      metrics[`${name}/depth_${from}`] = value;
  return metrics;
}

interface Totals {
  count: number;
  k1: number;
  k3: number;
  ratio: number;
  largest: number;
  weight: number;
  bounded: number;
}

function createTotals(): Totals {
  return { count: 0, k1: 0, k3: 0, ratio: 0, largest: 0, weight: 0, bounded: 0 };
}

function addToken(totals: Totals, ratio: number, weight: number, bounded: number): void {
  const difference = Math.log(ratio);
  totals.count += 1;
  totals.k1 -= difference;
  totals.k3 += ratio - 1 - difference;
  totals.ratio += ratio;
  totals.largest = Math.max(totals.largest, ratio);
  totals.weight += weight;
  totals.bounded += bounded;
}

const describeTotals = (totals: Totals, share: string): Record<string, number> => ({
  'sampler/kl_k1': totals.k1 / totals.count,
  'sampler/kl_k3': totals.k3 / totals.count,
  'sampler/ratio_max': totals.largest,
  [`sampler/${share}`]: totals.bounded / totals.count,
});

function depthFrom(depth: number): number {
  return depth < FIRST_DEPTH ? 0 : 2 ** Math.floor(Math.log2(depth));
}
