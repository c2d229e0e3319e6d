import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import rloo from './index.js';

const parse = (options: object = {}) => rloo.params.parse(options);
const trajectory = (group: number, total: number, tokens = 2) => ({
  group,
  total,
  rewards: Float64Array.from({ length: tokens + 1 }, (_, t) => (t === tokens ? total : 0)),
  lossMask: Uint8Array.from({ length: tokens + 1 }, (_, t) => (t === 0 ? 0 : 1)),
  turnEnds: [tokens],
});
const lasts = (trajectories: ReturnType<typeof trajectory>[], options = {}) =>
  rloo.advantages(trajectories, parse(options)).advantages.map((array) => array.at(-1));

testAlgorithm(rloo);
testAlgorithm(rloo, {
  params: { baseline: 'length-weighted', klCoefficient: 0.1, klEstimator: 'k3' },
});

testAlgorithm(rloo, { params: { baseline: 'role', baselineMemory: 0.5, entropyTarget: 0.2 } });

describe('rloo', () => {
  it('compares each trajectory with the others of its group, by hand', () => {
    const trajectories = [3, 1, 2].map((total) => trajectory(0, total)).concat(trajectory(1, 7));
    expect(lasts(trajectories)).toEqual([1.5, -1.5, 0, 0]);
    expect([...(rloo.advantages(trajectories, parse()).advantages[0] ?? [])]).toEqual([0, 1.5, 1.5]);
  });

  it('weighs by length if asked', () => {
    expect(lasts([trajectory(0, 4, 1), trajectory(0, 0, 3)], { baseline: 'length-weighted' })).toEqual([
      3, -1,
    ]);
  });

  it('compares with the moving average of the role, which goes on, by hand', () => {
    const ofRole = { baseline: 'role', baselineMemory: 0.5 };
    const played = [4, 0, 8].map((total, i) => ({ ...trajectory(i, total), tag: i === 2 ? 'b' : 'a' }));
    const kept = { 'baseline/a': 2, 'baseline/b': 0, klCoefficient: 0.1 };
    const credit = rloo.advantages(played, parse(ofRole), kept);
    // a: 4 − 2, then the average is 3 and the next total 0; b: its first total
    expect(credit.advantages.map((own) => [...own])).toEqual([
      [0, 2, 2],
      [0, -3, -3],
      [0, 8, 8],
    ]);
    expect(credit.memory).toEqual({ 'baseline/a': 1.5, 'baseline/b': 4 });
    // a run in one environment has one role, equal totals are compared with the past, and one trajectory is enough
    expect(rloo.advantages([trajectory(0, 1), trajectory(0, 1)], parse(ofRole)).memory).toEqual({
      baseline: 0.75,
    });
    expect(rloo.startMemory?.(parse(ofRole), ['a', 'b'])).toEqual({ 'baseline/a': 0, 'baseline/b': 0 });
    expect(rloo.startMemory?.(parse(ofRole), [''])).toEqual({ baseline: 0 });
    expect(rloo.startMemory?.(parse(), ['a'])).toEqual({});
    expect(rloo.minGroupSize?.(parse(ofRole))).toBe(1);
    expect(rloo.select([{ group: 0, totals: [1] }], parse(ofRole)).kept).toEqual([0]);
    expect(rloo.inert?.(parse(ofRole), { optimizerStepsPerStep: 2 })).toEqual(['klEstimator']);
  });

  it('credits what is left after evidence as if there had been none', () => {
    const shown = { ...trajectory(0, 3), evidence: Float64Array.from([0, 2, 0]) };
    const others = [trajectory(0, 0), trajectory(0, 0)];
    // 3 with 2 of evidence at its first token: 1 is left, as without any
    expect([...rloo.advantages([shown, ...others], parse()).advantages[0]!]).toEqual([0, 3, 1]);
    expect(lasts([trajectory(0, 1), ...others])[0]).toBe(1);
    const weighted = rloo.advantages([shown, ...others], parse({ baseline: 'length-weighted' }));
    expect(weighted.advantages[0]?.[2]).toBeCloseTo(1 - 1 / 3, 12);
  });

  it('has the gradient of REINFORCE while the policy is the one that sampled', () => {
    const numbers = {
      logprobs: [-1, -0.5],
      entropies: [1, 2],
      columns: { oldLogprobs: [-1, -0.5], advantages: [1.5, -2] },
    };
    const { gradients } = objective.evaluateLoss(rloo.policyLoss(parse()), numbers);
    expect(gradients['logprobs']).toEqual([-1.5, 2]);
  });

  it('drops a group of which one trajectory is left, with the reason', () => {
    const groups = [
      { group: 0, totals: [1] },
      { group: 1, totals: [0, 0] },
    ];
    expect(rloo.select(groups, parse())).toEqual({ kept: [1], reasons: ['one-trajectory', 'kept'] });
    expect(rloo.minGroupSize?.(parse())).toBe(2);
  });

  it('keeps a reference only for a penalty, and names options without effect', () => {
    expect(rloo.needs(parse()).reference).toBe(false);
    expect(rloo.needs(parse({ klCoefficient: 0.1 })).reference).toBe(true);
    expect(rloo.inert?.(parse(), { optimizerStepsPerStep: 1 })).toEqual([
      'baselineMemory',
      'klEstimator',
      'clipLow',
      'clipHigh',
      'dualClip',
    ]);
  });
});
