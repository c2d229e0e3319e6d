import { describe, expect, it } from 'vitest';
import { klRewardEstimators, penalizeRewards } from './penalize-rewards.js';

// two turns; the token between them and the last one do not count
const trajectory = {
  group: 0,
  total: 3,
  rewards: Float64Array.from([0, 1, 0, 0, 2]),
  lossMask: Uint8Array.from([1, 1, 0, 1, 0]),
  turnEnds: [1, 4],
  referenceGaps: Float64Array.from([Math.LN2, -1, 9, 0, 9]),
};

describe('penalizeRewards', () => {
  // exp(−ln 2) + ln 2 − 1, and e − 1 − 1
  it.each([
    ['k1', [Math.LN2, -1, 0]],
    ['abs', [Math.LN2, 1, 0]],
    ['k2', [Math.LN2 ** 2 / 2, 0.5, 0]],
    ['k3', [Math.LN2 - 0.5, Math.E - 2, 0]],
  ] as const)('takes the weighted %s of each loss token off its reward, by hand', (estimator, kl) => {
    const found = penalizeRewards(trajectory, { weight: 0.5, estimator });
    const [first, second, third] = kl;
    [-first / 2, 1 - second / 2, 0, -third / 2, 2].forEach((reward, t) =>
      expect(found.trajectory.rewards[t]).toBeCloseTo(reward, 12),
    );
    expect(found.kl).toBeCloseTo(first + second, 12);
    expect(found.tokens).toBe(3);
  });

  it.each(klRewardEstimators)(
    'leaves rewards that add up to the total, and its input alone (%s)',
    (estimator) => {
      const before = structuredClone(trajectory);
      const { total, rewards } = penalizeRewards(trajectory, { weight: 2, estimator }).trajectory;
      expect(rewards.reduce((sum, reward) => sum + reward, 0)).toBeCloseTo(total, 12);
      expect(trajectory).toEqual(before);
    },
  );

  it('stays finite where the two policies have nothing in common', () => {
    const far = { ...trajectory, referenceGaps: Float64Array.from([-1e4, 1e4, 0, 0, 0]) };
    // as in the loss: −x at most 20, the estimate at most 10; e^−20 + 20 − 1 is above it, too
    expect(penalizeRewards(far, { weight: 1, estimator: 'k3' }).kl).toBe(20);
  });

  it('takes nothing off without a reference', () => {
    const { referenceGaps: _, ...alone } = trajectory;
    expect(penalizeRewards(alone, { weight: 1, estimator: 'k1' }).trajectory).toEqual(alone);
  });
});
