import { createStream, type HeldGroup, objective, type RandomStream } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import rlep from './index.js';
import { deviationsOf, drawByRank } from './priority.js';

const parse = (options: object = {}) => rlep.params.parse(options);
const group = (
  totals: readonly number[],
  age = 1,
  successes = totals.map((total) => total >= 1),
): HeldGroup => ({
  totals,
  successes,
  weight: 1,
  age,
});
/** Draws that are these, in turn; each is a share of the weights that are left. */
const scripted = (...shares: number[]): RandomStream => ({
  ...createStream(0),
  choice: (weights) => {
    const share = (shares.shift() ?? 0) * weights.reduce((sum, weight) => sum + weight, 0);
    let sum = 0;
    return weights.findIndex((weight) => (sum += weight) > share);
  },
});

it('drops a group of which one trajectory is left', () => {
  const groups = [
    { group: 0, totals: [1] },
    { group: 1, totals: [0, 0] },
  ];
  expect(rlep.select(groups, parse())).toEqual({ kept: [1], reasons: ['one-trajectory', 'kept'] });
});

testAlgorithm(rlep);
testAlgorithm(rlep, { params: { priorityExponent: 0, klCoefficient: 0.1 } });

describe('rlep', () => {
  it('holds groups with a success and a difference, and the newest of these', () => {
    const groups = [
      group([0, 1], 9),
      group([1, 1]), // all the same
      group([0, 0.5]), // no success
      group([0, 1], 8),
      group([-1, 1]),
      group([0, 0, 1, 1]),
    ];
    const hold = (limit = 64) => rlep.holdReplay?.(groups, parse(), { limit, stream: createStream(1) });
    expect(hold()).toEqual([0, 3, 4, 5]);
    expect(hold(2)).toEqual([4, 5]);
  });

  it('draws by rank of deviation, by hand', () => {
    // deviations √½, √2, √½ (the later is ahead) and √⅓: ranks 3, 1, 2, 4; with exponent 1 the weights are ⅓, 1, ½, ¼
    const held = [group([0, 1]), group([-1, 1]), group([0, 1]), group([0, 0, 1, 1])];
    expect(deviationsOf(held)[1]).toBeCloseTo(Math.SQRT2, 12);
    expect(deviationsOf(held)[3]).toBeCloseTo(Math.sqrt(1 / 3), 12);
    const draw = (limit: number, ...shares: number[]) =>
      rlep.drawReplay?.(held, parse({ priorityExponent: 1 }), { limit, stream: scripted(...shares) });
    // of 1 + ½ + ⅓ + ¼ = 25/12: the first 12/25, the second up to 18/25, the third up to 22/25
    expect(draw(1, 11.9 / 25)).toEqual([1]);
    expect(draw(1, 12.1 / 25)).toEqual([2]);
    expect(draw(1, 18.1 / 25)).toEqual([0]);
    expect(draw(1, 22.1 / 25)).toEqual([3]);
    // what is drawn leaves; of ½ + ⅓ + ¼ = 13/12 the first has 6/13
    expect(draw(2, 0, 5.9 / 13)).toEqual([1, 2]);
    expect(draw(2, 0, 6.1 / 13)).toEqual([1, 0]);
    expect(draw(9, 0, 0, 0, 0)).toEqual([1, 2, 0, 3]);
  });

  it('draws nothing that it would not hold, as in a fork of a run that held everything', () => {
    const held = [group([1, 1]), group([0, 1], 4), group([0, 0]), group([0, 1], 2)];
    const drawn = rlep.drawReplay?.(held, parse(), { limit: 4, stream: createStream(3) });
    expect(drawn?.toSorted()).toEqual([1, 3]);
  });

  it('has no age limit of its own, which could switch replay off beside that of the run', () => {
    expect(rlep.params.safeParse({ maxAge: 8 }).success).toBe(false);
  });

  it('draws each rank as often as its weight says', () => {
    const stream = createStream(11);
    const share = (exponent: number) => {
      const counts = [0, 0, 0];
      for (let time = 0; time < 6000; time++)
        counts[drawByRank([3, 2, 1], exponent, 1, stream)[0] ?? -1]! += 1;
      return counts.map((count) => count / 6000);
    };
    // four standard errors of a share of 6,000 draws are at most 0.026
    const weights = [1, 2 ** -0.7, 3 ** -0.7].map((weight, _, all) => weight / all.reduce((a, b) => a + b));
    share(0.7).forEach((found, rank) => expect(Math.abs(found - weights[rank]!)).toBeLessThan(0.026));
    share(0).forEach((found) => expect(Math.abs(found - 1 / 3)).toBeLessThan(0.026));
  });

  it('has the credit and the loss of grpo, and asks for replay', () => {
    const trajectories = [2, 0, 1].map((total) => ({
      group: 0,
      total,
      rewards: Float64Array.of(0, total),
      lossMask: Uint8Array.of(0, 1),
      turnEnds: [1],
    }));
    const { advantages } = rlep.advantages(trajectories, parse({ normalization: 'group' }));
    expect(advantages.map((own) => own[1]?.toFixed(4))).toEqual(['1.0000', '-1.0000', '0.0000']);
    const loss = objective.evaluateLoss(rlep.policyLoss(parse()), {
      logprobs: [-1],
      entropies: [1],
      columns: { oldLogprobs: [-1.5], advantages: [2] }, // a ratio of 1.65 is held at 1.2
    });
    expect(loss.perToken[0]).toBeCloseTo(-2.4, 6);
    expect(rlep.needs(parse())).toEqual({ critic: false, reference: false, replay: true });
  });
});
