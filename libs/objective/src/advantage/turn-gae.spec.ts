import { describe, expect, it } from 'vitest';
import { estimateTurnGae } from './turn-gae.js';

// o s s o s o s: three turns, the second without a reward
const lossMask = [0, 1, 1, 0, 1, 0, 1];
const turnEnds = [2, 4, 6];
const rewards = [0, 0, 1, 0, 0, 0, 4];
const values = [9, 2, 9, 9, 1, 9, 3];

describe('generalised advantage estimation over turns', () => {
  it('is that of a chain of three steps, by hand', () => {
    // δ = 1 + .5·1 − 2, 0 + .5·3 − 1, 4 − 3; A = δ + .25 A'
    const last = 1;
    const second = 0.5 + 0.25 * last;
    const first = -0.5 + 0.25 * second;
    const { advantages, returns } = estimateTurnGae({
      rewards,
      values,
      lossMask,
      turnEnds,
      gamma: 0.5,
      lambda: 0.5,
    });
    expect([...advantages]).toEqual([0, first, first, 0, second, 0, last]);
    expect([...returns]).toEqual([0, first + 2, first + 2, 0, second + 1, 0, last + 3]);
  });

  it('does not read values inside a turn', () => {
    const others = [0, 2, 0, 0, 1, 0, 3];
    const options = { rewards, lossMask, turnEnds, gamma: 0.9, lambda: 0.8 };
    expect(estimateTurnGae({ ...options, values: others })).toEqual(estimateTurnGae({ ...options, values }));
  });

  it('with γ = λ = 1 is what is left to earn, less the value', () => {
    const { returns } = estimateTurnGae({ rewards, values, lossMask, turnEnds, gamma: 1, lambda: 1 });
    expect([...returns]).toEqual([0, 5, 5, 0, 4, 0, 4]);
  });

  it('refuses loss tokens without turns', () => {
    expect(() => estimateTurnGae({ rewards, values, lossMask, turnEnds: [], gamma: 1, lambda: 1 })).toThrow(
      'loss token 1 belongs to no turn',
    );
  });
});
