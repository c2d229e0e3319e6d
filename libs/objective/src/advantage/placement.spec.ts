import { describe, expect, it } from 'vitest';
import { placeOnCounted } from './placement.js';

describe('placeOnCounted', () => {
  it('moves a reward at an uncounted turn end back to the last token that counts', () => {
    const placed = placeOnCounted([0, 0, 3, 0, 0, 5], [2, 5], [1, 1, 0, 0, 1, 0]);
    expect([...placed.rewards]).toEqual([0, 3, 0, 0, 5, 0]);
    expect(placed.turnEnds).toEqual([1, 4]);
  });

  it('joins a turn without counted tokens to the one before', () => {
    const placed = placeOnCounted([0, 1, 2], [1, 2], [0, 1, 0]);
    expect([...placed.rewards]).toEqual([0, 3, 0]);
    expect(placed.turnEnds).toEqual([1]);
  });

  it('moves a reward before the first counted token onto it', () => {
    expect([...placeOnCounted([2, 0, 0], [0], [0, 1, 1]).rewards]).toEqual([0, 2, 0]);
  });

  it('is empty when nothing counts', () => {
    expect(placeOnCounted([2, 1], [1], [0, 0])).toEqual({ rewards: new Float64Array(2), turnEnds: [] });
  });
});
