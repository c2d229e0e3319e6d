import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import algorithm from './index.js';

const parse = (options: object = {}) => algorithm.params.parse(options);

testAlgorithm(algorithm, { params: { low: -1, high: 1, share: 0.2 } });
testAlgorithm(algorithm, {
  params: { remedy: 'penalty', share: 0.2, klCoefficient: 0.1, entropyCoefficient: 0.01 },
});

const sequence = (logprobs: number[], advantages: number[], oldLogprobs = logprobs) => ({
  logprobs: Float32Array.from(logprobs),
  entropies: new Float32Array(logprobs.length),
  columns: { oldLogprobs: Float32Array.from(oldLogprobs), advantages: Float32Array.from(advantages) },
});
const heldOf = (sequences: ReturnType<typeof sequence>[], options: object) =>
  algorithm.stepColumns?.(sequences, parse(options)).map(({ held }) => Array.from(held ?? []));

// mean log-probability −2, mean advantage 1.5
const batch = [sequence([-1, -2], [3, 3]), sequence([-2.25, -2.75], [2, -2])];
// (−1 + 2)·(3 − 1.5) = 1.5, 0, (−0.25)(0.5) = −0.125, (−0.75)(−3.5) = 2.625
const covariances = [1.5, 0, -0.125, 2.625];

describe('entropy-cov', () => {
  it('knows the covariance of each token, by hand', () => {
    const own = objective.estimateCovariances(
      batch.map(({ logprobs, columns }) => ({ logprobs, advantages: columns.advantages })),
    );
    own
      .flatMap((one) => [...one])
      .forEach((value, t) => expect(value).toBeCloseTo(covariances[t] as number, 12));
  });

  it('holds back the largest (KL-Cov), at least one', () => {
    expect(heldOf(batch, { remedy: 'penalty' })).toEqual([
      [0, 0],
      [0, 1],
    ]);
    expect(heldOf(batch, { remedy: 'penalty', share: 0.5 })).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });

  it('draws from those between the bounds (Clip-Cov), the same for the same mini-batch', () => {
    expect(heldOf(batch, { low: 1, high: 2 })).toEqual([
      [1, 0],
      [0, 0],
    ]);
    expect(heldOf(batch, { low: 3, high: 5 })).toEqual([
      [0, 0],
      [0, 0],
    ]);
    const wide = { low: -1, high: 5, share: 0.25 };
    expect(heldOf(batch, wide)).toEqual(heldOf(batch, wide));
    const drawn = Array.from({ length: 40 }, (_, index) =>
      heldOf([...batch, sequence([-2 - index / 100], [1])], wide)
        ?.flat()
        .indexOf(1),
    );
    expect(new Set(drawn).size).toBeGreaterThan(2);
  });

  it('does not draw what is clipped anyway', () => {
    const moved = [sequence([-1, -2], [3, 3], [-2, -2]), batch[1]!];
    expect(heldOf(moved, { low: 1, high: 2 })).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it('takes the gradient off, or pulls back, by hand', () => {
    const numbers = {
      logprobs: [-1, -2],
      columns: { oldLogprobs: [-1.1, -2.1], advantages: [2, 2], held: [1, 0] },
    };
    const ratio = Math.exp(0.1);
    const clipped = objective.evaluateLoss(algorithm.policyLoss(parse()), numbers);
    expect(clipped.perToken.map(Math.abs)).toEqual([0, expect.closeTo(2 * ratio, 12)]);
    expect(clipped.gradients['logprobs']?.map(Math.abs)).toEqual([0, expect.closeTo(2 * ratio, 12)]);
    expect(clipped.metrics['policy/held_fraction']).toEqual([1, 0]);
    const pulled = objective.evaluateLoss(
      algorithm.policyLoss(parse({ remedy: 'penalty', coefficient: 0.5 })),
      numbers,
    );
    expect(pulled.perToken).toEqual([expect.closeTo(-2 * ratio + 0.05, 12), expect.closeTo(-2 * ratio, 12)]);
    expect(pulled.gradients['logprobs']).toEqual([
      expect.closeTo(-2 * ratio + 0.5, 12),
      expect.closeTo(-2 * ratio, 12),
    ]);
  });

  it('names what has no effect, and refuses bounds that hold nothing', () => {
    const names = (options: object, optimizerStepsPerStep: number) =>
      algorithm.inert?.(parse(options), { optimizerStepsPerStep });
    expect(names({}, 2)).toEqual(['klEstimator', 'coefficient']);
    expect(names({ remedy: 'penalty' }, 2)).toEqual(['klEstimator', 'clipLow', 'clipHigh', 'low', 'high']);
    expect(names({ remedy: 'penalty' }, 1)).toContain('coefficient');
    expect(() => parse({ low: 2, high: 1 })).toThrow('expected more than low');
  });
});
