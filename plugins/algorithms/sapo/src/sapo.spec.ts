import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import sapo from './index.js';

const parse = (options: object = {}) => sapo.params.parse(options);
const gradientOf = (ratio: number, advantage: number, options: object = {}) =>
  objective.evaluateLoss(sapo.policyLoss(parse(options)), {
    logprobs: [-1],
    columns: { oldLogprobs: [-1 - Math.log(ratio)], advantages: [advantage] },
  }).gradients['logprobs']?.[0];

testAlgorithm(sapo);
testAlgorithm(sapo, {
  params: { temperatureGood: 2, temperatureBad: 3, klCoefficient: 0.1, klEstimator: 'k2' },
});

describe('sapo', () => {
  it('has the gradient of REINFORCE at ratio 1', () => {
    expect(gradientOf(1, 2)).toBeCloseTo(-2, 12);
    expect(gradientOf(1, -2, { temperatureBad: 7 })).toBeCloseTo(2, 12);
  });

  it('fades as the ratio leaves 1, by hand', () => {
    // 4 · 3 · σ(2) σ(−2) with τ = 1
    expect(gradientOf(3, 1)).toBeCloseTo((-12 * Math.exp(-2)) / (1 + Math.exp(-2)) ** 2, 12);
  });

  it('names the temperatures as without effect in a single optimizer step', () => {
    expect(sapo.inert?.(parse(), { optimizerStepsPerStep: 1 })).toEqual([
      'klEstimator',
      'temperatureGood',
      'temperatureBad',
    ]);
  });
});
