import { describe, expect, it } from 'vitest';
import { type CreditedTrajectory, estimateCriticCredit, estimateGroupCredit } from './attempt-credit.js';

function attempt(group: number, total: number, values?: number[]): CreditedTrajectory {
  // four tokens: sampled, observation, sampled, an end-of-turn token that does not count but carries the reward
  const common = {
    group,
    total,
    rewards: Float64Array.from([0, 0, 0, total]),
    lossMask: Uint8Array.from([1, 0, 1, 0]),
    turnEnds: [0, 3],
  };
  return values === undefined ? common : { ...common, values: Float64Array.from(values) };
}

const lists = (arrays: readonly Float64Array[]) => arrays.map((array) => [...array]);

describe('estimateCriticCredit', () => {
  it('sees a reward that was placed at a token that does not count', () => {
    const { returns } = estimateCriticCredit([attempt(0, 3, [0, 0, 0, 0])], { gamma: 1, lambda: 1 });
    expect(lists(returns)).toEqual([[3, 0, 3, 0]]);
  });

  it('whitens advantages but not returns, and reports both before whitening', () => {
    const attempts = [attempt(0, 1, [0, 9, 0, 9]), attempt(0, 3, [0, 9, 0, 9])];
    const { advantages, returns, metrics } = estimateCriticCredit(attempts, { gamma: 1, lambda: 1 });
    expect(lists(returns)).toEqual([
      [1, 0, 1, 0],
      [3, 0, 3, 0],
    ]);
    const unit = 1 / (Math.sqrt(4 / 3) + 1e-8); // entries 1, 1, 3, 3: mean 2, deviation sqrt(4/3)
    expect(lists(advantages)).toEqual([
      [-unit, 0, -unit, 0],
      [unit, 0, unit, 0],
    ]);
    expect(metrics).toMatchObject({
      'credit/advantage_mean': 2,
      'credit/advantage_max': 3,
      'critic/explained_variance': 0,
    });
  });

  it('discounts between turns when given a discount for them', () => {
    const { returns } = estimateCriticCredit([attempt(0, 4, [0, 0, 0, 0])], {
      gamma: 1,
      lambda: 1,
      turnGamma: 0.5,
    });
    expect(lists(returns)).toEqual([[2, 0, 4, 0]]);
  });

  it('refuses attempts without values', () => {
    expect(() => estimateCriticCredit([attempt(0, 1)], { gamma: 1, lambda: 1 })).toThrow(
      'attempt 0 has no values',
    );
  });
});

describe('estimateGroupCredit', () => {
  it('gives loss tokens the total relative to the group, and reports it undivided', () => {
    const { advantages, metrics } = estimateGroupCredit([attempt(5, 1), attempt(5, 3)], 'group');
    const unit = 1 / (Math.SQRT2 + 1e-6);
    expect(lists(advantages)).toEqual([
      [-unit, 0, -unit, 0],
      [unit, 0, unit, 0],
    ]);
    expect(metrics['credit/advantage_max']).toBe(1);
  });
});
