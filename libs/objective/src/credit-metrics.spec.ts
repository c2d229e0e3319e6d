import { describe, expect, it } from 'vitest';
import { estimateTokenGae } from './advantage/gae.js';
import { estimateAdvantageMetrics, estimateExplainedVariance } from './credit-metrics.js';

describe('estimateExplainedVariance', () => {
  const lossMask = [[1, 0, 1], [1]];
  const returns = [[1, 99, 2], [3]];

  it('is 1 for a perfect critic and 0 for a constant one', () => {
    expect(estimateExplainedVariance([[1, -5, 2], [3]], returns, lossMask)).toBe(1);
    expect(estimateExplainedVariance([[7, -5, 7], [7]], returns, lossMask)).toBe(0);
  });

  it('matches a case computed by hand', () => {
    // returns 1, 2, 3: variance 1; errors 1, 1, 2: variance 1/3
    expect(estimateExplainedVariance([[0, 0, 1], [1]], returns, lossMask)).toBeCloseTo(2 / 3, 12);
  });

  it('is negative for a critic that is worse than a constant', () => {
    expect(estimateExplainedVariance([[3, 0, 2], [1]], returns, lossMask)).toBeCloseTo(-3, 12);
  });

  it('is 0 where returns do not vary', () => {
    expect(estimateExplainedVariance([[1, 2]], [[4, 4]], [[1, 1]])).toBe(0);
  });

  it('is 0 where returns vary only by rounding, as without any reward', () => {
    const values = [0.3, -0.7, 1.1];
    const none = { rewards: [0, 0, 0], lossMask: [1, 1, 1], gamma: 0.95, lambda: 1 };
    const { returns } = estimateTokenGae({ ...none, values });
    expect(returns.some((value) => value !== 0)).toBe(true);
    expect(estimateExplainedVariance([values], [returns], [none.lossMask])).toBe(0);
  });
});

describe('estimateAdvantageMetrics', () => {
  it('uses loss tokens only', () => {
    expect(estimateAdvantageMetrics([[1, 50], [-3]], [[1, 0], [1]])).toEqual({
      'credit/advantage_mean': -1,
      'credit/advantage_std': Math.sqrt(8),
      'credit/advantage_max': 3,
    });
  });
});
