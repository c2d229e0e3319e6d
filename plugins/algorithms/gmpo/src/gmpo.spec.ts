import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import gmpo from './index.js';

const parse = (options: object = {}) => gmpo.params.parse(options);

testAlgorithm(gmpo);
testAlgorithm(gmpo, {
  params: {
    normalization: 'none',
    clipLow: 0.1,
    clipHigh: 0.1,
    klCoefficient: 0.1,
    entropyCoefficient: 0.01,
  },
});

/** Loss and gradients of one trajectory whose tokens share an advantage. */
function lossOf(logprobs: number[], oldLogprobs: number[], advantage: number, more: object = {}) {
  const columns = {
    oldLogprobs: Float32Array.from(oldLogprobs),
    advantages: new Float32Array(logprobs.length).fill(advantage),
    ...more,
  };
  const sequence = {
    logprobs: Float32Array.from(logprobs),
    entropies: new Float32Array(logprobs.length),
    columns,
  };
  const [own] = gmpo.stepColumns?.([sequence], parse()) ?? [];
  const listed = Object.entries(own ?? {}).map(([name, values]) => [name, Array.from(values)]);
  return objective.evaluateLoss(gmpo.policyLoss(parse()), {
    logprobs,
    columns: Object.fromEntries(listed) as Record<string, number[]>,
  });
}

describe('gmpo', () => {
  it('gives each token the geometric mean of the ratios, by hand', () => {
    // log ratios 0.25 and −0.125, both within 0.4: mean 0.0625
    const { perToken, gradients } = lossOf([-1, -2], [-1.25, -1.875], 3);
    perToken.forEach((value) => expect(value).toBeCloseTo(-3 * Math.exp(0.0625), 6));
    gradients['logprobs']?.forEach((value) => expect(value).toBeCloseTo(-3 * Math.exp(0.0625), 6));
  });

  it('bounds a token that rose in a good trajectory: it counts with its bound, and does not learn', () => {
    // log ratios 1 → 0.4, and −1, which is not bounded below: mean −0.3
    const { perToken, gradients, metrics } = lossOf([-1, -3], [-2, -2], 2);
    perToken.forEach((value) => expect(value).toBeCloseTo(-2 * Math.exp(-0.3), 6));
    expect(gradients['logprobs']?.[0]).toBeCloseTo(0, 12);
    expect(gradients['logprobs']?.[1]).toBeCloseTo(-2 * Math.exp(-0.3), 6);
    expect(metrics['policy/stopped_fraction']).toEqual([1, 0]);
  });

  it('bounds a token that fell in a bad trajectory', () => {
    // log ratios 1, and −1 → −0.4: mean 0.3
    const { perToken, gradients } = lossOf([-1, -3], [-2, -2], -2);
    perToken.forEach((value) => expect(value).toBeCloseTo(2 * Math.exp(0.3), 6));
    expect(gradients['logprobs']?.[0]).toBeCloseTo(2 * Math.exp(0.3), 6);
    expect(gradients['logprobs']?.[1]).toBeCloseTo(0, 12);
  });

  it('has the gradient of the geometric mean over the trajectory, which finite differences show', () => {
    const [old, advantage] = [[-2, -2, -1], 2];
    const objectiveOf = (logprobs: number[]): number =>
      -advantage *
      Math.exp(
        logprobs.map((value, t) => Math.min(value - (old[t] as number), 0.4)).reduce((a, b) => a + b, 0) / 3,
      );
    const at = [-1.75, -1, -1.5];
    const { gradients } = lossOf(at, old, advantage);
    at.forEach((_, t) => {
      const shifted = (by: number) => objectiveOf(at.map((value, i) => value + (i === t ? by : 0)));
      const slope = (shifted(1e-6) - shifted(-1e-6)) / 2e-6;
      expect((gradients['logprobs']?.[t] as number) / 3).toBeCloseTo(slope, 6);
    });
  });

  it('leaves tokens that do not count out of the mean, the advantage and the gradient', () => {
    // as update.topEntropyShare makes them: only the log ratios 0.25 and −0.125 take part, with mean 0.0625
    const more = { advantages: Float32Array.of(3, 0, 3, 0), counted: Float32Array.of(1, 0, 1, 0) };
    const { perToken, gradients } = lossOf([-1, -1, -2, -4], [-1.25, -2, -1.875, -3], 3, more);
    const own = -3 * Math.exp(0.0625);
    [own, 0, own, 0].forEach((value, n) => {
      expect(perToken[n]).toBeCloseTo(value, 6);
      expect(gradients['logprobs']?.[n]).toBeCloseTo(value, 6);
    });
  });

  it('names the bounds as without effect in a single optimizer step', () => {
    expect(gmpo.inert?.(parse(), { optimizerStepsPerStep: 1 })).toEqual([
      'klEstimator',
      'clipLow',
      'clipHigh',
    ]);
  });
});
