import { describe, expect, it } from 'vitest';
import { broadcastToTurnTokens, estimateTurnReturns, spreadTurnRewards, sumTurnRewards } from './turns.js';

// o s s | o s | o o s s t: three turns that end at 2, 4 and 8
const turnEnds = [2, 4, 8];
const lossMask = [0, 1, 1, 0, 1, 0, 0, 1, 1, 0];

describe('rewards of turns', () => {
  it('are sums over the positions of each turn, what follows the last end included', () => {
    const rewards = [0, 0.5, 1, 0, 0, 4, 0, 0, 2, 0.25];
    expect([...sumTurnRewards({ rewards, lossMask, turnEnds })]).toEqual([1.5, 0, 6.25]);
  });

  it('are none without turns', () => {
    expect([...sumTurnRewards({ rewards: [1], lossMask: [0], turnEnds: [] })]).toEqual([]);
  });
});

describe('returns of turns', () => {
  it('discount by turns, also across one without reward', () => {
    expect([...estimateTurnReturns([1, 0, 4], 0.5)]).toEqual([2, 2, 4]);
  });

  it('are what is left with γ = 1, and the reward itself with γ = 0', () => {
    expect([...estimateTurnReturns([1, 0, 4], 1)]).toEqual([5, 4, 4]);
    expect([...estimateTurnReturns([1, 0, 4], 0)]).toEqual([1, 0, 4]);
    expect([...estimateTurnReturns([], 0.9)]).toEqual([]);
  });
});

describe('rewards divided among turns', () => {
  it('go backwards with weights that sum to 1, also across a turn without reward, by hand', () => {
    // 3 of turn 0 stays; 7 of turn 2 goes 1/7, 2/7, 4/7
    expect([...spreadTurnRewards([3, 0, 7], 0.5)]).toEqual([4, 2, 4]);
    expect([...spreadTurnRewards([0, 0, 6], 1)]).toEqual([2, 2, 2]);
  });

  it('keep their sum, negative ones too, and stay where they are with γ = 0', () => {
    const spread = spreadTurnRewards([1, -2, 0.5, 3], 0.7);
    expect(spread.reduce((sum, share) => sum + share, 0)).toBeCloseTo(2.5, 12);
    expect([...spreadTurnRewards([1, -2, 4], 0)]).toEqual([1, -2, 4]);
    expect([...spreadTurnRewards([], 0.5)]).toEqual([]);
  });
});

describe('credit of turns', () => {
  it('reaches the loss tokens of each turn and no other', () => {
    expect([...broadcastToTurnTokens([1, 2, 3], { turnEnds, lossMask })]).toEqual([
      0, 1, 1, 0, 2, 0, 0, 3, 3, 0,
    ]);
  });

  it('reaches loss tokens after the last end through the last turn', () => {
    expect([...broadcastToTurnTokens([1, 2], { turnEnds: [0, 1], lossMask: [1, 1, 1] })]).toEqual([1, 2, 2]);
  });

  it('is nothing for a turn without loss tokens', () => {
    expect([...broadcastToTurnTokens([1, 2], { turnEnds: [0, 1], lossMask: [0, 1] })]).toEqual([0, 2]);
  });

  it('is refused where it fits no turn', () => {
    expect(() => broadcastToTurnTokens([1], { turnEnds, lossMask })).toThrow(/perTurn \[1\], turnEnds \[3\]/);
    expect(() => broadcastToTurnTokens([], { turnEnds: [], lossMask: [0, 1] })).toThrow(
      'loss token 1 belongs to no turn',
    );
  });
});
