import { describe, expect, it } from 'vitest';
import { measurePadding } from './measure-padding.js';

const request = (length: number) => ({
  tokens: new Int32Array(length),
  positions: Int32Array.of(1, length - 1),
});

describe('measurePadding', () => {
  it('counts what is computed, what is shared once, and the padding', () => {
    const one = request(60);
    const other = request(100);
    other.tokens.fill(1);
    const apart = measurePadding([one, other], 2048);
    expect(apart.tokens).toBe(160);
    expect(apart.microBatches.reduce((sum, { count }) => sum + count, 0)).toBe(4);
    // nothing depends on the last token of a sequence
    expect(apart.computedTokens * (1 - apart.share)).toBeCloseTo(158, 9);
    const together = measurePadding([one, request(60)], 2048);
    expect(together.computedTokens * (1 - together.share)).toBeCloseTo(58 + 2, 9);
    expect(together.microBatches).toMatchObject([
      { layout: { prefixBlocks: 1, ownBlocks: 1 }, sizes: { P: 1, G: 2, R: 1, Q: 58, N: 4 } },
    ]);
  });

  it('is nothing for nothing', () => {
    expect(measurePadding([], 2048)).toEqual({
      microBatches: [],
      tokens: 0,
      computedTokens: 0,
      share: 0,
      placeShare: 0,
    });
  });
});
