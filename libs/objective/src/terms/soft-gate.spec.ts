import { describe, expect, it } from 'vitest';
import { defineLoss } from '../define-loss.js';
import { estimateLossGradient, evaluateLoss } from '../evaluate-loss.js';
import { softGate } from './soft-gate.js';

const loss = defineLoss({
  id: 'soft',
  params: { temperatureGood: 1, temperatureBad: 2 },
  columns: ['oldLogprobs', 'advantages'],
  build: ({ logprobs, columns, params }) => softGate({ logprobs, ...columns, ...params }),
});
const numbers = (ratios: number[], advantages: number[]) => ({
  logprobs: ratios.map(Math.log),
  columns: { oldLogprobs: ratios.map(() => 0), advantages },
});

describe('the soft gate', () => {
  it('has the gradient of REINFORCE at ratio 1, whatever the temperature', () => {
    const { gradients } = evaluateLoss(loss, numbers([1, 1], [2, -3]));
    expect(gradients['logprobs']?.[0]).toBeCloseTo(-2, 12);
    expect(gradients['logprobs']?.[1]).toBeCloseTo(3, 12);
  });

  it('fades on either side, sooner for bad tokens', () => {
    // 4 r σ'(τ (r − 1)) |A|
    const slope = (x: number) => 1 / (1 + Math.exp(-x)) / (1 + Math.exp(x));
    const { gradients } = evaluateLoss(loss, numbers([3, 3, 0.5], [1, -1, 1]));
    [-12 * slope(2), 12 * slope(4), -2 * slope(0.5)].forEach((value, t) =>
      expect(gradients['logprobs']?.[t]).toBeCloseTo(value, 12),
    );
  });

  it('has the gradient of finite differences', () => {
    const given = numbers([0.7, 1.1, 2, 1], [0.5, -1, 2, 0]);
    const numeric = estimateLossGradient(loss, given);
    const { gradients } = evaluateLoss(loss, given);
    expect(gradients['logprobs']).toHaveLength(4);
    gradients['logprobs']?.forEach((value, t) =>
      expect(value).toBeCloseTo(numeric['logprobs']?.[t] as number, 6),
    );
  });
});
