import { describe, expect, it } from 'vitest';
import { defineLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { truncatedImportance } from './truncated-importance.js';

const lossOf = (clipLow: number, clipHigh: number) =>
  defineLoss({
    id: 'truncated',
    params: { clipLow, clipHigh },
    columns: ['oldLogprobs', 'advantages'],
    build: ({ logprobs, columns, params }) => truncatedImportance({ logprobs, ...columns, ...params }),
  });
const logprobs = [-1, -1, -1];
const numbers = (ratios: number[], advantages: number[]) => ({
  logprobs,
  columns: { oldLogprobs: ratios.map((ratio) => -1 - Math.log(ratio)), advantages },
});

describe('truncated importance weights', () => {
  it('weigh REINFORCE with the ratio, bounded on both sides, by hand', () => {
    const { gradients, perToken, metrics } = evaluateLoss(
      lossOf(0.5, 1),
      numbers([0.25, 1.5, 9], [1, -2, 1]),
    );
    [-0.5, 3, -2].forEach((value, t) => {
      expect(gradients['logprobs']?.[t]).toBeCloseTo(value, 12); // no token is without a gradient
      expect(perToken[t]).toBeCloseTo(-value, 12); // logprob is −1
    });
    expect(metrics['policy/truncated_fraction_low']).toEqual([1, 0, 0]);
    expect(metrics['policy/truncated_fraction_high']).toEqual([0, 0, 1]);
  });

  it('have no lower bound from clipLow 1 on', () => {
    const { gradients, metrics } = evaluateLoss(lossOf(1, 4), numbers([0.25, 1, 9], [1, 1, 1]));
    [-0.25, -1, -5].forEach((value, t) => expect(gradients['logprobs']?.[t]).toBeCloseTo(value, 12));
    expect(metrics['policy/truncated_fraction_low']).toEqual([0, 0, 0]);
  });

  it('have the gradient of finite differences while the weight is held', () => {
    const given = numbers([0.7, 1.1, 2], [0.5, -1, 2]);
    const numeric = estimateLossGradient(lossOf(0.2, 0.2), given);
    const { gradients } = evaluateLoss(lossOf(0.2, 0.2), given);
    expect(gradients['logprobs']).toHaveLength(3);
    gradients['logprobs']?.forEach((value, t) =>
      expect(value).toBeCloseTo(numeric['logprobs']?.[t] as number, 6),
    );
  });
});
