import { describe, expect, it } from 'vitest';
import { clippedSurrogate } from './terms/clipped-surrogate.js';
import { defineLoss } from './define-loss.js';
import { estimateLossGradient, evaluateLoss } from './evaluate-loss.js';
import { estimateSequenceLogprobs } from './sequence-ratio.js';

const bounds = { clipLow: 0.1, clipHigh: 0.2, dualClip: 0 };
const loss = defineLoss({
  id: 'sequence',
  params: bounds,
  columns: ['oldLogprobs', 'advantages'],
  build: ({ logprobs, columns, params }) => clippedSurrogate({ logprobs, ...columns, ...params }),
});
const gradientOf = (logprobs: number[], oldLogprobs: number[], advantage: number) => {
  const columns = {
    oldLogprobs: [...estimateSequenceLogprobs({ logprobs, oldLogprobs })],
    advantages: logprobs.map(() => advantage),
  };
  const numbers = { logprobs, columns };
  return { ...evaluateLoss(loss, numbers), numeric: estimateLossGradient(loss, numbers) };
};

describe('log-probabilities of whole sequences', () => {
  it('give each token the mean log ratio, by hand', () => {
    // log ratios 0.2 and 0: mean 0.1
    const [first = 0, second = 0] = estimateSequenceLogprobs({ logprobs: [-1, -2], oldLogprobs: [-1.2, -2] });
    expect(first).toBeCloseTo(-1.1, 12);
    expect(second).toBeCloseTo(-2.1, 12);
  });

  it('are those of the tokens where the policy is the one that sampled', () => {
    expect([...estimateSequenceLogprobs({ logprobs: [-1, -2], oldLogprobs: [-1, -2] })]).toEqual([-1, -2]);
    expect([...estimateSequenceLogprobs({ logprobs: [], oldLogprobs: [] })]).toEqual([]);
  });

  it('give the loss of the sequence to each of its tokens, and its gradient to all', () => {
    const { perToken, gradients, numeric } = gradientOf([-1, -2, -0.5], [-1.2, -2, -0.6], 2);
    const ratio = Math.exp(0.1);
    expect(perToken).toEqual(new Array(3).fill(expect.closeTo(-2 * ratio, 12)));
    expect(gradients['logprobs']).toHaveLength(3);
    gradients['logprobs']?.forEach((value, t) => {
      expect(value).toBeCloseTo(-2 * ratio, 12); // n tokens of weight 1/n: what the mean log ratio has
      expect(value).toBeCloseTo(numeric['logprobs']?.[t] as number, 6);
    });
  });

  it('clip a sequence as a whole, whatever the ratios of its tokens', () => {
    // mean log ratio 0.3, beyond log 1.2; the second token alone would be within
    const { perToken, gradients } = gradientOf([-1, -2], [-1.6, -2], 1);
    expect(perToken).toEqual(new Array(2).fill(expect.closeTo(-1.2, 12)));
    expect(gradients['logprobs']?.map(Math.abs)).toEqual([0, 0]);
  });
});
