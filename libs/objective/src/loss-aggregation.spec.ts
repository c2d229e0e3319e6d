import { describe, expect, it } from 'vitest';
import { estimateTokenWeights } from './loss-aggregation.js';

const lists = (weights: Float32Array[]) => weights.map((array) => [...array]);

describe('estimateTokenWeights', () => {
  it('weights all tokens equally (token-mean)', () => {
    expect(lists(estimateTokenWeights([3, 1], 'token-mean'))).toEqual([[0.25, 0.25, 0.25], [0.25]]);
  });

  it('weights all sequences equally (sequence-mean-token-mean)', () => {
    expect(lists(estimateTokenWeights([2, 1], 'sequence-mean-token-mean'))).toEqual([[0.25, 0.25], [0.5]]);
  });

  it('sums tokens and averages sequences (sequence-mean-token-sum)', () => {
    expect(lists(estimateTokenWeights([2, 1], 'sequence-mean-token-sum'))).toEqual([[0.5, 0.5], [0.5]]);
  });

  it('divides by a constant, whatever the lengths (sequence-mean-constant, sum-constant)', () => {
    expect(lists(estimateTokenWeights([2, 1], 'sequence-mean-constant', 8))).toEqual([
      [1 / 16, 1 / 16],
      [1 / 16],
    ]);
    expect(lists(estimateTokenWeights([2, 0, 1], 'sum-constant', 8))).toEqual([[1 / 8, 1 / 8], [], [1 / 8]]);
    expect(() => estimateTokenWeights([1], 'sum-constant', 0)).toThrow('constant is 0; expected more than 0');
  });

  it('excludes sequences without loss tokens from the mean', () => {
    expect(lists(estimateTokenWeights([0, 2, 0], 'sequence-mean-token-mean'))).toEqual([[], [0.5, 0.5], []]);
    expect(lists(estimateTokenWeights([0, 2, 0], 'sequence-mean-token-sum'))).toEqual([[], [1, 1], []]);
    expect(lists(estimateTokenWeights([0, 0], 'token-mean'))).toEqual([[], []]);
  });
});
