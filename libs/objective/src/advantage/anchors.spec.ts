import { describe, expect, it } from 'vitest';
import { estimateAnchorAdvantages } from './anchors.js';

describe('advantages of turns from the same state', () => {
  it('compare returns within each state, by hand', () => {
    const { advantages, comparedShare } = estimateAnchorAdvantages(
      [4, 1, 0, 9],
      ['a', 'b', 'a', 'c'],
      'none',
    );
    expect([...advantages]).toEqual([2, 0, -2, 0]);
    expect(comparedShare).toBe(0.5);
  });

  it('divide by the deviation of the state if asked', () => {
    const { advantages } = estimateAnchorAdvantages([4, 0], ['a', 'a'], 'group');
    expect(advantages[0]).toBeCloseTo(2 / (Math.sqrt(8) + 1e-6), 12);
  });

  it.each(['group', 'none'] as const)('are exactly 0 for ties and for a state seen once (%s)', (divisor) => {
    const { advantages } = estimateAnchorAdvantages([0.1, 0.1, 0.1, 7], ['a', 'a', 'a', 'b'], divisor);
    expect([...advantages]).toEqual([0, 0, 0, 0]);
  });

  it('are none without turns', () => {
    expect(estimateAnchorAdvantages([], [], 'none')).toEqual({
      advantages: new Float64Array(),
      comparedShare: 0,
    });
  });

  it('refuse returns without an anchor', () => {
    expect(() => estimateAnchorAdvantages([1], [], 'none')).toThrow(/returns \[1\], anchors \[0\]/);
  });
});
