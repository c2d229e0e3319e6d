import { estimateGroupAdvantages } from '@espalier/objective';
import { createStream, deriveSeed } from '@espalier/random';
import { type Divisor, type NoiseSeed, playGroups, type SharedNoise } from './shared-noise.js';

/** Samples what groups teach at the start, with the estimator of advantages that runs use: mean over groups, and its standard error. */
export function sampleGradient(
  model: SharedNoise,
  divisor: Divisor,
  noiseSeed: NoiseSeed,
  groups: number,
  seed: number,
): { readonly mean: number; readonly error: number } {
  const stream = createStream(deriveSeed(seed, 'gradient', divisor, noiseSeed));
  const { totals, risky, groupOf } = playGroups({ ...model, groups }, model.start, noiseSeed, stream);
  const advantages = estimateGroupAdvantages(totals, groupOf, divisor);
  const sums = new Float64Array(groups);
  advantages.forEach((value, i) => {
    const group = groupOf[i] as number;
    const term = (value * ((risky[i] === true ? 1 : 0) - model.start)) / model.groupSize;
    sums[group] = (sums[group] as number) + term;
  });
  const mean = sums.reduce((all, value) => all + value, 0) / groups;
  const squares = sums.reduce((all, value) => all + (value - mean) ** 2, 0);
  return { mean, error: Math.sqrt(squares / (groups - 1) / groups) };
}
