import { describe, expect, it } from 'vitest';
import { measurePadding } from './measure-padding.js';

const request = (length: number) => ({ tokens: new Int32Array(length), positions: Int32Array.of(1, 2) });

describe('measurePadding', () => {
  it('counts what is computed beyond the tokens', () => {
    const { microBatches, tokens, computedTokens, share } = measurePadding([request(60), request(100)], 128);
    expect(microBatches.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    expect(tokens).toBe(160);
    expect(computedTokens).toBeGreaterThanOrEqual(160);
    expect(share).toBeCloseTo(1 - 160 / computedTokens, 12);
  });

  it('is nothing for nothing', () => {
    expect(measurePadding([], 2048)).toEqual({ microBatches: [], tokens: 0, computedTokens: 0, share: 0 });
  });
});
