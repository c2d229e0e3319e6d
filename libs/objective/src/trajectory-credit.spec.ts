import { describe, expect, it } from 'vitest';
import {
  type CreditedTrajectory,
  estimateCriticCredit,
  estimateGroupCredit,
  spreadCredit,
  whitenCredit,
} from './trajectory-credit.js';

function trajectory(group: number, total: number, values?: number[]): CreditedTrajectory {
  // four tokens: sampled, observation, sampled, and an end-of-turn token outside the loss mask that carries the reward
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
  it('uses a reward placed at a token outside the loss mask', () => {
    const { returns } = estimateCriticCredit([trajectory(0, 3, [0, 0, 0, 0])], { gamma: 1, lambda: 1 });
    expect(lists(returns)).toEqual([[3, 0, 3, 0]]);
  });

  it('whitens advantages but not returns, and reports both before whitening', () => {
    const trajectories = [trajectory(0, 1, [0, 9, 0, 9]), trajectory(0, 3, [0, 9, 0, 9])];
    const { advantages, returns, metrics } = estimateCriticCredit(trajectories, { gamma: 1, lambda: 1 });
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

  it('gives no advantages where all earn the same from each turn on, whatever the critic says', () => {
    // two turns of one token each, which earn so much
    const play = (first: number, second: number, values: readonly [number, number]): CreditedTrajectory => ({
      group: 0,
      total: first + second,
      rewards: Float64Array.from([first, second]),
      lossMask: Uint8Array.from([1, 1]),
      turnEnds: [0, 1],
      values: Float64Array.from(values),
    });
    const short = (total: number): CreditedTrajectory => ({
      ...play(total, 0, [0.3, 0]),
      lossMask: Uint8Array.from([1, 0]),
      turnEnds: [0],
    });
    // one turn of 40 tokens, whose first expects 1e-12 of what the last earns with gamma 0.5
    const late = (total: number): CreditedTrajectory => ({
      group: 0,
      total,
      rewards: new Float64Array(40).with(39, total),
      lossMask: new Uint8Array(40).fill(1),
      turnEnds: [39],
      values: new Float64Array(40),
    });
    const hasAdvantage = (batch: readonly CreditedTrajectory[], options: object = {}): boolean =>
      estimateCriticCredit(batch, { gamma: 1, lambda: 1, ...options }).advantages.some((own) =>
        own.some((value) => value !== 0),
      );
    const paysEachTurn = [play(-0.1, -0.1, [0.4, -0.2]), play(-0.1, -0.1, [-0.3, 0.1])];
    expect(hasAdvantage(paysEachTurn)).toBe(false);
    expect(hasAdvantage(paysEachTurn, { turnGamma: 0.5, lambda: 0.5 })).toBe(false);
    expect(estimateCriticCredit(paysEachTurn, { gamma: 1, lambda: 1 }).returns[0]?.[0]).toBeCloseTo(-0.2, 12);
    // later is as good as sooner, unless it is discounted
    expect(hasAdvantage([play(0, 1, [0.4, 0.2]), short(1)])).toBe(false);
    expect(hasAdvantage([play(0, 1, [0.4, 0.2]), short(1)], { gamma: 0.9 })).toBe(true);
    expect(hasAdvantage([late(0), late(1)], { gamma: 0.5 })).toBe(true);
    // groups that differ from each other, turns that do, evidence, and one trajectory alone
    expect(hasAdvantage([play(0, 1, [0, 0]), play(0, 0, [0, 0])])).toBe(true);
    expect(hasAdvantage([play(0, 1, [0, 0]), play(1, 0, [0, 0])])).toBe(true);
    expect(hasAdvantage([{ ...play(0, 1, [0, 0]), evidence: Float64Array.from([0, 1]) }, short(1)])).toBe(
      true,
    );
    expect(hasAdvantage([play(0, 1, [0.1, 0.7])])).toBe(true);
  });

  it('discounts between turns when turnGamma is given', () => {
    const { returns } = estimateCriticCredit([trajectory(0, 4, [0, 0, 0, 0])], {
      gamma: 1,
      lambda: 1,
      turnGamma: 0.5,
    });
    expect(lists(returns)).toEqual([[2, 0, 4, 0]]);
  });

  it('rejects trajectories without values', () => {
    expect(() => estimateCriticCredit([trajectory(0, 1)], { gamma: 1, lambda: 1 })).toThrow(
      'trajectory 0 has no values',
    );
  });
});

describe('estimateGroupCredit', () => {
  it('gives loss tokens the total relative to the group, and reports it before normalisation', () => {
    const { advantages, metrics } = estimateGroupCredit([trajectory(5, 1), trajectory(5, 3)], 'group');
    const unit = 1 / (Math.SQRT2 + 1e-6);
    expect(lists(advantages)).toEqual([
      [-unit, 0, -unit, 0],
      [unit, 0, unit, 0],
    ]);
    expect(metrics['credit/advantage_max']).toBe(1);
  });
});

describe('credit of other estimators', () => {
  const trajectories = [trajectory(0, 1), trajectory(0, 3)];

  it('is spread over the loss tokens of each trajectory', () => {
    const { advantages, metrics } = spreadCredit(trajectories, ([one = 0, other = 0]) => [
      one - other,
      other - one,
    ]);
    expect(lists(advantages)).toEqual([
      [-2, 0, -2, 0],
      [2, 0, 2, 0],
    ]);
    expect(metrics['credit/advantage_max']).toBe(2);
  });

  it('compares the evidence before each token as it compares totals', () => {
    // totals 4 and 1, of which 2 and 0 are evidence: before it they differ by 3, after it by 1
    const evidence = Float64Array.from([2, 0, 0, 0]);
    const { advantages } = spreadCredit(
      [{ ...trajectory(0, 4), evidence }, trajectory(0, 1)],
      ([one = 0, other = 0]) => [one - other, other - one],
    );
    expect(lists(advantages)).toEqual([
      [3, 0, 1, 0],
      [-3, 0, -3, 0],
    ]);
  });

  it('is whitened over the batch and reported as it was', () => {
    const tokens = [Float64Array.from([1, 0, 3, 0]), Float64Array.from([5, 0, 7, 0])];
    const { advantages, metrics } = whitenCredit(trajectories, tokens);
    const std = Math.sqrt(20 / 3) + 1e-8;
    [-3 / std, 0, -1 / std, 0].forEach((value, t) => expect(advantages[0]?.[t]).toBeCloseTo(value, 12));
    expect(metrics['credit/advantage_mean']).toBe(4);
  });

  it('is 0 where all have the same from each turn on, as far as they get, by hand', () => {
    // the first turn has one token, the second the others
    const play = (...credit: readonly number[]): [CreditedTrajectory, Float64Array] => [
      {
        group: 0,
        total: 0,
        rewards: new Float64Array(credit.length),
        lossMask: new Uint8Array(credit.length).fill(1),
        turnEnds: credit.length === 1 ? [0] : [0, credit.length - 1],
      },
      Float64Array.from(credit),
    ];
    const whitened = (...played: readonly [CreditedTrajectory, Float64Array][]) =>
      lists(
        whitenCredit(
          played.map(([one]) => one),
          played.map(([, credit]) => credit),
        ).advantages,
      );
    // −0.1 for each turn leaves −0.2 at the first and −0.1 at the second: places, not choices
    expect(whitened(play(-0.2, -0.1), play(-0.2, -0.1), play(-0.2))).toEqual([[0, 0], [0, 0], [0]]);
    // −1 −1 −1 1 have mean −0.5 and deviation 1
    expect(whitened(play(-1, -1), play(-1, 1)).flat()).toEqual(
      [-0.5, -0.5, -0.5, 1.5].map((value) => expect.closeTo(value, 6) as number),
    );
    // tokens of a turn that begins alike, as where a discount leaves nothing of the reward at its start
    expect(whitened(play(0, 0, 1), play(0, 0, 0)).flat()).not.toEqual(new Array(6).fill(0));
    const [alone = []] = whitened(play(-0.2, -0.1));
    expect(alone[1]).toBeCloseTo(Math.SQRT1_2, 6);
  });
});
