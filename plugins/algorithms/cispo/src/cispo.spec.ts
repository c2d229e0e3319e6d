import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import cispo from './index.js';

const parse = (options: object = {}) => cispo.params.parse(options);
const gradientOf = (ratio: number, advantage: number, options: object = {}) =>
  objective.evaluateLoss(cispo.policyLoss(parse(options)), {
    logprobs: [-1],
    columns: { oldLogprobs: [-1 - Math.log(ratio)], advantages: [advantage] },
  }).gradients['logprobs']?.[0];

testAlgorithm(cispo);
testAlgorithm(cispo, {
  params: { normalization: 'batch', clipLow: 0.2, clipHigh: 0.28, klCoefficient: 0.1, klEstimator: 'k3' },
});

describe('cispo', () => {
  it('weighs a token with its ratio, by hand', () => {
    expect(gradientOf(2, 3)).toBeCloseTo(-6, 12);
    expect(gradientOf(0.25, -2)).toBeCloseTo(0.5, 12);
  });

  it('keeps the gradient beyond the bounds', () => {
    expect(gradientOf(50, 1)).toBeCloseTo(-5, 12);
    expect(gradientOf(50, -1)).toBeCloseTo(5, 12);
    expect(gradientOf(0.25, 1, { clipLow: 0.2 })).toBeCloseTo(-0.8, 12);
  });

  it('names the bounds as without effect in a single optimizer step', () => {
    expect(cispo.inert?.(parse(), { optimizerStepsPerStep: 1 })).toEqual([
      'klEstimator',
      'clipLow',
      'clipHigh',
    ]);
  });
});
