import { describe, expect, it } from 'vitest';
import { estimateTokenGae } from './gae.js';

const random = (seed: number) => () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 2 ** 32;
};

describe('estimateTokenGae', () => {
  it('matches a case computed by hand', () => {
    // Two tokens, gamma 0.5, lambda 0.5. Last: 2 + 0 - 1 = 1. First: (0 + 0.5 * 1 - 3) + 0.25 * 1 = -2.25.
    const credit = estimateTokenGae({
      rewards: [0, 2],
      values: [3, 1],
      lossMask: [1, 1],
      gamma: 0.5,
      lambda: 0.5,
    });
    expect([...credit.advantages]).toEqual([-2.25, 1]);
    expect([...credit.returns]).toEqual([0.75, 2]);
  });

  it('carries value and accumulator over observation tokens', () => {
    const lossMask = [0, 1, 1, 0, 0, 1, 0, 1, 0];
    const next = random(7);
    const rewards = lossMask.map((isInLoss) => isInLoss * next());
    const values = lossMask.map(() => next()); // values outside the mask must not matter
    const only = <T>(array: ArrayLike<T>) => Array.from(array).filter((_, t) => lossMask[t] === 1);
    const setting = { gamma: 0.9, lambda: 0.8 };
    const gapped = estimateTokenGae({ rewards, values, lossMask, ...setting });
    const dense = estimateTokenGae({
      rewards: only(rewards),
      values: only(values),
      lossMask: [1, 1, 1, 1],
      ...setting,
    });
    expect(only(gapped.advantages)).toEqual([...dense.advantages]);
    expect(only(gapped.returns)).toEqual([...dense.returns]);
    expect(gapped.advantages[3]).toBe(0);
  });

  it('equals the return minus the value when gamma and lambda are 1', () => {
    const next = random(3);
    const rewards = Array.from({ length: 12 }, next);
    const values = Array.from({ length: 12 }, next);
    const lossMask = rewards.map(() => 1);
    const { advantages, returns } = estimateTokenGae({ rewards, values, lossMask, gamma: 1, lambda: 1 });
    rewards.forEach((_, t) => {
      const toGo = rewards.slice(t).reduce((sum, reward) => sum + reward, 0);
      expect(advantages[t]).toBeCloseTo(toGo - (values[t] as number), 12);
      expect(returns[t]).toBeCloseTo(toGo, 12);
    });
  });

  it('bootstraps with the value after the last position', () => {
    const credit = estimateTokenGae({
      rewards: [1],
      values: [0],
      lossMask: [1],
      gamma: 0.5,
      lambda: 1,
      bootstrap: 4,
    });
    expect(credit.advantages[0]).toBe(3);
  });

  it('returns zeros for a trajectory without loss tokens', () => {
    const credit = estimateTokenGae({
      rewards: [1, 1],
      values: [5, 5],
      lossMask: [0, 0],
      gamma: 1,
      lambda: 1,
    });
    expect([...credit.advantages, ...credit.returns]).toEqual([0, 0, 0, 0]);
  });

  it('rejects arrays of different lengths', () => {
    expect(() =>
      estimateTokenGae({ rewards: [1], values: [1, 2], lossMask: [1], gamma: 1, lambda: 1 }),
    ).toThrow(
      expect.objectContaining({
        code: 'objective.length_mismatch',
        message: 'token gae: lengths differ, got rewards [1], values [2], lossMask [1]; all must be equal',
      }),
    );
  });
});
