/**
 * @file Coefficients of loss terms that follow what is measured, one step per iteration.
 * Sources: Ziegler et al. 2019, arXiv:1909.08593, sec. 2.2 (KL); He et al. 2025, arXiv:2505.22312 (Skywork-OR1, entropy).
 *
 *   e = clip((KL − target) / target, ±0.2)    β ← β (1 + rate · e)
 *   c ← c + step · sign(target − H)           within [0, 1]
 *
 * Differences: KL and entropy are per token; the entropy term is not switched off while H is above its target, since c falls
 * to 0 there.
 */
import { defineMetric } from '@espalier/contracts';

defineMetric({
  name: 'algorithm/kl_coefficient',
  unit: '1',
  formula: 'weight of the divergence from the starting policy in this update; with algorithm.klTarget',
});
defineMetric({
  name: 'algorithm/entropy_coefficient',
  unit: '1',
  formula: 'weight of the entropy bonus in this update; with algorithm.entropyTarget',
});

const LARGEST_ERROR = 0.2;

/** The weight of the divergence after one more measurement; NaN changes nothing. */
export function nextKlCoefficient(
  coefficient: number,
  kl: number,
  { target, rate }: { readonly target: number; readonly rate: number },
): number {
  if (!Number.isFinite(kl)) return coefficient;
  const error = Math.min(LARGEST_ERROR, Math.max(-LARGEST_ERROR, (kl - target) / target));
  return coefficient * (1 + rate * error);
}

/** The weight of the entropy bonus after one more measurement; NaN changes nothing. */
export function nextEntropyCoefficient(
  coefficient: number,
  entropy: number,
  { target, step }: { readonly target: number; readonly step: number },
): number {
  if (!Number.isFinite(entropy)) return coefficient;
  return Math.min(1, Math.max(0, coefficient + step * Math.sign(target - entropy)));
}
