import { describe, expect, it } from 'vitest';
import { adaptive, payForDivergence } from './algorithm-options.js';
import type { Credit, CreditTrajectory } from './define-algorithm.js';

/** One loss token per gap, paid at the last. */
const play = (tag: string | undefined, ...gaps: number[]): CreditTrajectory => ({
  group: 0,
  ...(tag === undefined ? {} : { tag }),
  total: 1,
  rewards: Float64Array.from(gaps, (_, t) => (t === gaps.length - 1 ? 1 : 0)),
  lossMask: new Uint8Array(gaps.length).fill(1),
  turnEnds: [gaps.length - 1],
  referenceGaps: Float64Array.from(gaps),
});
const asPaid = (trajectories: readonly CreditTrajectory[]): Credit => ({
  advantages: trajectories.map(({ rewards }) => rewards),
  metrics: { 'credit/own': 1 },
});
const params = { klRewardCoefficient: 0.5, klRewardEstimator: 'k1' as const, klTarget: 0.1, klRate: 0.5 };
const { klTarget: _target, ...fixed } = params;

describe('payForDivergence', () => {
  it('assigns credit for what is left, and reports the mean over all tokens', () => {
    const { advantages, metrics, memory } = payForDivergence(
      [play(undefined, 0.4, 0.2), play(undefined, -0.3)],
      fixed,
      undefined,
      asPaid,
    );
    expect(advantages.map((own) => [...own])).toEqual([[-0.2, 0.9], [1.15]]);
    expect(metrics).toEqual({ 'credit/own': 1, 'credit/kl_reference': expect.closeTo(0.1, 12) as number });
    expect(memory).toBeUndefined();
  });

  it('moves the weight of each environment towards the target, by what that one measured', () => {
    const memory = adaptive.startMemory(params, ['', 'near', 'far']);
    const start = {
      klRewardCoefficient: 0.5,
      'klRewardCoefficient/near': 0.5,
      'klRewardCoefficient/far': 0.5,
    };
    expect(memory).toEqual(start);
    const given = [play('near', 0.11, 0.11), play('far', 0), play('near', 0.11)];
    const credit = payForDivergence(given, params, memory, asPaid);
    // a tenth above the target, and nothing at all, of which a fifth counts: half of either
    expect(credit.memory).toEqual({
      'klRewardCoefficient/near': expect.closeTo(0.5 * 1.05, 12) as number,
      'klRewardCoefficient/far': expect.closeTo(0.5 * 0.9, 12) as number,
    });
    const later = payForDivergence(given, params, { ...memory, ...credit.memory }, asPaid);
    expect(later.advantages[0]?.[0]).toBeCloseTo(-0.525 * 0.11, 12);
  });

  it('keeps nothing with a fixed weight or none, and then changes nothing', () => {
    expect(adaptive.startMemory(fixed, [''])).toEqual({});
    expect(adaptive.startMemory({ ...params, klRewardCoefficient: 0 }, [''])).toEqual({});
    const given = [play(undefined, 0.4)];
    const credit = payForDivergence(given, { ...params, klRewardCoefficient: 0 }, {}, asPaid);
    expect(credit).toEqual(asPaid(given));
  });
});
