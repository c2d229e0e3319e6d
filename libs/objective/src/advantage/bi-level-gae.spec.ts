import { describe, expect, it } from 'vitest';
import { estimateBiLevelGae } from './bi-level-gae.js';
import { estimateTokenGae } from './gae.js';

describe('estimateBiLevelGae', () => {
  it('matches a case computed by hand', () => {
    // Turns end at 1 and 3; all discounts 0.5, lambda 1. Turn level: A_1 = 4 - 2 = 2, A_0 = 0 + 0.5 * 2 - 1 + 0.5 * 2 = 1.
    // Turn returns: 4 and 2. Token 3: 4 - 2 = 2; token 2: (0.5 * 2 - 1) + 0.5 * 2 = 1; token 1: 2 - 1 = 1;
    // token 0: (0.5 * 1 - 3) + 0.5 * 1 = -2.
    const { advantages, returns } = estimateBiLevelGae({
      rewards: [0, 0, 0, 4],
      values: [3, 1, 1, 2],
      lossMask: [1, 1, 1, 1],
      turnEnds: [1, 3],
      gamma: 0.5,
      lambda: 1,
      turnGamma: 0.5,
    });
    expect([...advantages]).toEqual([-2, 1, 1, 2]);
    expect([...returns]).toEqual([1, 2, 2, 4]);
  });

  it('counts a reward inside a turn as part of the turn, and leaves it at its token', () => {
    // One reward of 2 at token 2 instead of at the end. Discounts 1, lambda 1, no values: every return is the rest.
    const episode = { values: [0, 0, 0, 0], lossMask: [1, 1, 1, 1], gamma: 1, lambda: 1, turnEnds: [1, 3] };
    const inside = estimateBiLevelGae({ ...episode, rewards: [0, 0, 2, 1], turnGamma: 0.5 });
    expect([...inside.returns]).toEqual([1.5, 1.5, 3, 1]);
    const atEnd = estimateBiLevelGae({ ...episode, rewards: [0, 0, 0, 3], turnGamma: 0.5 });
    expect([...atEnd.returns]).toEqual([1.5, 1.5, 3, 3]);
  });

  it('treats a turn without a reward as a turn', () => {
    const episode = {
      rewards: [0, 0, 0, 1],
      values: [0, 0, 0, 0],
      lossMask: [1, 1, 1, 1],
      gamma: 1,
      lambda: 1,
      turnGamma: 0.5,
    };
    expect([...estimateBiLevelGae({ ...episode, turnEnds: [1, 3] }).returns]).toEqual([0.5, 0.5, 1, 1]);
    expect([...estimateBiLevelGae({ ...episode, turnEnds: [3] }).returns]).toEqual([1, 1, 1, 1]);
  });

  it('equals token GAE when every discount and lambda are 1', () => {
    const episode = {
      rewards: [0, 0, 1, 0, 0, 0, -2],
      values: [1, 0, 3, 0, 0, 2, 4],
      lossMask: [1, 0, 1, 0, 1, 1, 1],
    };
    const bi = estimateBiLevelGae({ ...episode, turnEnds: [2, 6], gamma: 1, lambda: 1, turnGamma: 1 });
    const token = estimateTokenGae({ ...episode, gamma: 1, lambda: 1 });
    expect([...bi.advantages]).toEqual([...token.advantages]);
  });

  it('ignores observation tokens between and inside turns', () => {
    const setting = { gamma: 0.9, lambda: 0.7, turnGamma: 0.8 };
    const dense = estimateBiLevelGae({
      rewards: [0, 1, 0, 2],
      values: [1, 2, 3, 4],
      lossMask: [1, 1, 1, 1],
      turnEnds: [1, 3],
      ...setting,
    });
    const gapped = estimateBiLevelGae({
      rewards: [0, 0, 1, 0, 0, 2, 0],
      values: [1, 9, 2, 9, 3, 4, 9],
      lossMask: [1, 0, 1, 0, 1, 1, 0],
      turnEnds: [2, 5],
      ...setting,
    });
    expect([0, 2, 4, 5].map((t) => gapped.advantages[t])).toEqual([...dense.advantages]);
  });

  it('treats tokens after the last turn end as a turn', () => {
    const episode = { rewards: [1, 0], values: [0, 0], lossMask: [1, 1], gamma: 1, lambda: 1, turnGamma: 1 };
    expect([...estimateBiLevelGae({ ...episode, turnEnds: [0] }).returns]).toEqual([1, 0]);
  });

  it('rejects a turn end outside the loss mask', () => {
    const episode = { rewards: [0, 0], values: [0, 0], lossMask: [1, 0], gamma: 1, lambda: 1, turnGamma: 1 };
    expect(() => estimateBiLevelGae({ ...episode, turnEnds: [1] })).toThrow(
      'turn end 1 (turn 0) is not a loss token',
    );
  });
});
