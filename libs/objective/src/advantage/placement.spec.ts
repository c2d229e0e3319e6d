import { describe, expect, it } from 'vitest';
import { placeOnLossTokens } from './placement.js';

describe('placeOnLossTokens', () => {
  it('moves a reward at a turn end outside the loss mask back to the last loss token', () => {
    const placed = placeOnLossTokens([0, 0, 3, 0, 0, 5], [2, 5], [1, 1, 0, 0, 1, 0]);
    expect([...placed.rewards]).toEqual([0, 3, 0, 0, 5, 0]);
    expect(placed.turnEnds).toEqual([1, 4]);
  });

  it('joins a turn without loss tokens to the previous one', () => {
    const placed = placeOnLossTokens([0, 1, 2], [1, 2], [0, 1, 0]);
    expect([...placed.rewards]).toEqual([0, 3, 0]);
    expect(placed.turnEnds).toEqual([1]);
  });

  it('moves a reward before the first loss token onto it', () => {
    expect([...placeOnLossTokens([2, 0, 0], [0], [0, 1, 1]).rewards]).toEqual([0, 2, 0]);
  });

  it('is empty without loss tokens', () => {
    expect(placeOnLossTokens([2, 1], [1], [0, 0])).toEqual({ rewards: new Float64Array(2), turnEnds: [] });
  });
});
