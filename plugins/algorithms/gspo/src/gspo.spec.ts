import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import gspo from './index.js';

const parse = (options: object = {}) => gspo.params.parse(options);
const bounds = { clipLow: 0.1, clipHigh: 0.2 };

testAlgorithm(gspo, { params: { clipLow: 0.5, clipHigh: 3 } });
testAlgorithm(gspo, {
  params: { normalization: 'none', clipLow: 0.9, clipHigh: 9, klCoefficient: 0.1, entropyCoefficient: 0.01 },
});

/** Loss and gradients of one trajectory whose tokens share an advantage. */
function lossOf(logprobs: number[], oldLogprobs: number[], advantage: number) {
  const sequence = {
    logprobs: Float32Array.from(logprobs),
    entropies: new Float32Array(logprobs.length),
    columns: { oldLogprobs: Float32Array.from(oldLogprobs) },
  };
  const [moved] = gspo.stepColumns?.([sequence], parse(bounds)) ?? [];
  return objective.evaluateLoss(gspo.policyLoss(parse(bounds)), {
    logprobs,
    columns: {
      oldLogprobs: Array.from(moved?.['oldLogprobs'] ?? []),
      advantages: logprobs.map(() => advantage),
    },
  });
}

describe('gspo', () => {
  it('gives each token the ratio of its trajectory, by hand', () => {
    // log ratios 0.25 and −0.125: mean 0.0625
    const { perToken, gradients } = lossOf([-1, -2], [-1.25, -1.875], 3);
    perToken.forEach((value) => expect(value).toBeCloseTo(-3 * Math.exp(0.0625), 6));
    gradients['logprobs']?.forEach((value) => expect(value).toBeCloseTo(-3 * Math.exp(0.0625), 6));
  });

  it('clips a trajectory as a whole', () => {
    // mean log ratio 0.25, beyond log 1.2; the second token moved the other way
    const { perToken, gradients } = lossOf([-1, -2], [-1.625, -1.875], 1);
    perToken.forEach((value) => expect(value).toBeCloseTo(-1.2, 6));
    expect(gradients['logprobs']?.map(Math.abs)).toEqual([0, 0]);
  });

  it('compares trajectories with the deviation of the group', () => {
    const trajectory = (total: number) => ({
      group: 0,
      total,
      rewards: Float64Array.of(total),
      lossMask: Uint8Array.of(1),
      turnEnds: [0],
    });
    const { advantages } = gspo.advantages([trajectory(0), trajectory(2)], parse());
    expect(advantages[1]?.[0]).toBeCloseTo(1 / (Math.SQRT2 + 1e-6), 12);
  });

  it('names the bounds as without effect in a single optimizer step', () => {
    expect(gspo.inert?.(parse(), { optimizerStepsPerStep: 1 })).toEqual([
      'klEstimator',
      'clipLow',
      'clipHigh',
    ]);
    expect(gspo.inert?.(parse(), { optimizerStepsPerStep: 2 })).toEqual(['klEstimator']);
  });
});
