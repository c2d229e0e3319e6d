import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SamplerCorrection } from '@espalier/contracts/sampler-correction';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { clippedPolicyLoss } from './clipped-policy-loss.js';
import { evaluateLoss } from './evaluate-loss.js';
import { correctSampling } from './sampler-correction.js';
import { estimateSamplerMetrics } from './sampler-metrics.js';

const rule = (use: SamplerCorrection['use'], maxRatio: number, minRatio = 0): SamplerCorrection => ({
  use,
  maxRatio,
  minRatio,
});

// ratios 1, 4, 1/4, 3/2: their product is 3/2
const ratios = [1, 4, 0.25, 1.5];
const tokens = { logprobs: ratios.map(Math.log), sampled: [0, 0, 0, 0] };
const weightsOf = (use: SamplerCorrection['use'], maxRatio: number, minRatio?: number): number[] =>
  Array.from(correctSampling(tokens, rule(use, maxRatio, minRatio)).weights, (weight) =>
    Number(weight.toFixed(6)),
  );

describe('correctSampling', () => {
  it.each([
    ['truncated', 2, 0, [1, 2, 0.25, 1.5]],
    ['mask', 2, 0, [1, 0, 0.25, 1.5]],
    ['icepop', 5, 0.5, [1, 4, 0, 1.5]],
    ['sequence-truncated', 3, 0, [1.5, 1.5, 1.5, 1.5]],
    ['sequence-truncated', 1.25, 0, [1.25, 1.25, 1.25, 1.25]],
    ['sequence-mask', 3, 0, [1.5, 1.5, 1.5, 1.5]],
    ['sequence-mask', 1.25, 0, [0, 0, 0, 0]],
  ] as const)('weighs a trajectory worked by hand: %s at %d', (use, maxRatio, minRatio, expected) => {
    expect(weightsOf(use, maxRatio, minRatio)).toEqual(expected);
  });

  it('says which tokens a bound changed', () => {
    expect([...correctSampling(tokens, rule('truncated', 2)).bounded]).toEqual([0, 1, 0, 0]);
    expect([...correctSampling(tokens, rule('icepop', 5, 0.5)).bounded]).toEqual([0, 0, 1, 0]);
    expect([...correctSampling(tokens, rule('sequence-mask', 1.25)).bounded]).toEqual([1, 1, 1, 1]);
  });

  it('is finite for a token that the sampler held to be impossible, or the trainer does', () => {
    const { weights, ratios: found } = correctSampling(
      { logprobs: [0, -1e4], sampled: [-1e4, 0] },
      rule('icepop', 5, 0.5),
    );
    expect([...weights]).toEqual([0, 0]);
    expect([...found]).toEqual([Math.exp(20), Math.exp(-20)]);
  });

  it('gives the gradient of the trainer’s expected advantage, though the tokens come from another policy', () => {
    // one state, four tokens, logits of the trainer; the sampler rounds them to quarters
    const logits = [0.3, -0.45, 0.9, -0.1];
    const advantages = [1, -2, 0.5, 3];
    const logSoftmax = (of: readonly number[]): number[] => {
      const total = Math.log(of.reduce((sum, value) => sum + Math.exp(value), 0));
      return of.map((value) => value - total);
    };
    const expectedAdvantage = (of: readonly number[]): number =>
      logSoftmax(of).reduce((sum, logprob, a) => sum + Math.exp(logprob) * advantages[a]!, 0);
    const old = logSoftmax(logits);
    const sampled = logSoftmax(logits.map((value) => Math.round(value * 4) / 4));

    const step = 1e-5;
    const numeric = logits.map((_, i) => {
      const moved = (by: number): number =>
        expectedAdvantage(logits.map((value, j) => (i === j ? value + by : value)));
      return (moved(step) - moved(-step)) / (2 * step);
    });

    const loss = clippedPolicyLoss('x', { clipLow: 0.2, clipHigh: 0.2, dualClip: 0, entropyCoefficient: 0 });
    const gradientOf = (oldLogprobs: readonly number[], weights: ArrayLike<number>): number[] => {
      const { gradients } = evaluateLoss(loss, { logprobs: old, columns: { oldLogprobs, advantages } });
      // over the sampler's tokens, each with its probability there; d logprob(a) / d logit(i) = [a = i] − π(i)
      return logits.map((_, i) =>
        sampled.reduce(
          (sum, logprob, a) =>
            sum -
            Math.exp(logprob) *
              weights[a]! *
              gradients['logprobs']![a]! *
              (Number(a === i) - Math.exp(old[i]!)),
          0,
        ),
      );
    };
    const { weights } = correctSampling({ logprobs: old, sampled }, rule('truncated', 1e6));
    const corrected = gradientOf(old, weights);
    corrected.forEach((value, i) => expect(value).toBeCloseTo(numeric[i]!, 6));
    const plain = gradientOf(old, [1, 1, 1, 1]);
    expect(Math.max(...plain.map((value, i) => Math.abs(value - numeric[i]!)))).toBeGreaterThan(0.01);
  });
});

describe('estimateSamplerMetrics', () => {
  it('matches a case worked by hand, by depth too', () => {
    const corrected = { ...correctSampling(tokens, rule('truncated', 2)), depths: [5, 127, 128, 700] };
    const metrics = estimateSamplerMetrics([corrected], rule('truncated', 2));
    const expected = {
      // −log of the product / 4; Σ (ρ − 1) / 4 + k1
      'sampler/kl_k1': -Math.log(1.5) / 4,
      'sampler/kl_k3': 2.75 / 4 - Math.log(1.5) / 4,
      'sampler/ratio_max': 4,
      'sampler/clipped_share': 0.25,
      'sampler/ratio_mean': 6.75 / 4,
      'sampler/weight_mean': 4.75 / 4,
      'sampler/ratio_max/depth_0': 4,
      'sampler/clipped_share/depth_0': 0.5,
      'sampler/kl_k1/depth_128': Math.log(4),
      'sampler/kl_k3/depth_512': 0.5 - Math.log(1.5),
    };
    for (const [name, value] of Object.entries(expected)) expect(metrics[name], name).toBeCloseTo(value, 6);
    expect(metrics).not.toHaveProperty('sampler/masked_share');
    expect(estimateSamplerMetrics([], rule('mask', 2))).toEqual({});
  });
});

interface GoldenGap {
  kl_k1: number;
  kl_k3: number;
  ratio_max: number;
  share: number;
}

interface GoldenCase {
  rule: SamplerCorrection;
  sequences: { logprobs: number[]; sampled: number[]; depths: number[]; weights: number[] }[];
  whole: GoldenGap & { ratio_mean: number; weight_mean: number };
  depths: Record<string, GoldenGap>;
}

const cases = JSON.parse(readFileSync(join(goldenFolder('sampler'), 'weights.json'), 'utf8')) as GoldenCase[];

describe('the correction, compared with NumPy', () => {
  // weights are rounded to float32
  const tolerance = 1e-6;

  it('has twenty-one cases', () => expect(cases).toHaveLength(21));

  it.each(cases.map((golden, index) => ({ golden, index })))('case $index', ({ golden }) => {
    const corrected = golden.sequences.map((own) => ({
      ...correctSampling(own, golden.rule),
      depths: own.depths,
    }));
    corrected.forEach(({ weights }, index) => {
      const expected = golden.sequences[index]!.weights;
      expect(weights).toHaveLength(expected.length);
      weights.forEach((weight, t) =>
        expect(Math.abs(weight - expected[t]!)).toBeLessThan(tolerance * Math.max(1, expected[t]!)),
      );
    });
    const metrics = estimateSamplerMetrics(corrected, golden.rule);
    const share = golden.rule.use.endsWith('truncated') ? 'clipped_share' : 'masked_share';
    const check = (gap: object, suffix: string): void => {
      for (const [name, value] of Object.entries(gap) as [string, number][]) {
        const found = metrics[`sampler/${name === 'share' ? share : name}${suffix}`]!;
        expect(Math.abs(found - value), name + suffix).toBeLessThan(tolerance * Math.max(1, value));
      }
    };
    check(golden.whole, '');
    for (const [from, gap] of Object.entries(golden.depths)) check(gap, `/depth_${from}`);
    const counted = Object.keys(metrics).filter((name) => name.startsWith('sampler/kl_k1/depth_'));
    expect(counted).toHaveLength(Object.keys(golden.depths).length);
  });
});
