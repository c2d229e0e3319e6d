import { objective } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import starpoS from './index.js';

const parse = (options: object = {}) => starpoS.params.parse(options);
const trajectory = (total: number) => ({
  group: 0,
  total,
  rewards: Float64Array.from([0, total]),
  lossMask: Uint8Array.from([1, 1]),
  values: Float64Array.from([0.5, 0.25]),
  turnEnds: [1],
});
const trajectories = [trajectory(0), trajectory(1), trajectory(3)];

describe('starpo-s', () => {
  it('keeps the quarter of groups that differ most in raw total', () => {
    const deviations = [0.1, 5, 0, 1, 3, 0.2, 0, 2];
    const groups = deviations.map((deviation, group) => ({ group, totals: [0, deviation] }));
    const { kept, reasons } = starpoS.select(groups, parse());
    expect(kept).toEqual([1, 4]);
    expect(reasons[2]).toBe('zero-variance');
    expect(reasons[7]).toBe('low-variance');
    expect(starpoS.select(groups, parse({ keepRatio: 0.5 })).kept).toEqual([1, 3, 4, 7]);
    expect(starpoS.keptShare(parse({ keepRatio: 0.5 }))).toBe(0.5);
  });

  it('drops a group of which one trajectory is left, where groups are compared', () => {
    const groups = [
      { group: 0, totals: [10.9] },
      { group: 1, totals: [0, 1] },
      { group: 2, totals: [1, 1] },
    ];
    const all = { keepRatio: 1, estimator: 'group' };
    const { kept, reasons } = starpoS.select(groups, parse(all));
    expect([kept, reasons]).toEqual([
      [1, 2],
      ['one-trajectory', 'kept', 'kept'],
    ]);
    expect(starpoS.select(groups, parse({ ...all, estimator: 'gae' })).kept).toEqual([0, 1, 2]);
  });

  it('takes credit from either estimator', () => {
    expect(starpoS.needs(parse()).critic).toBe(true);
    expect(starpoS.needs(parse({ estimator: 'group' })).critic).toBe(false);
    expect(starpoS.advantages(trajectories, parse()).returns?.map((array) => [...array])).toEqual([
      [0, 0],
      [1, 1],
      [3, 3],
    ]);
    const group = starpoS.advantages(trajectories, parse({ estimator: 'group', normalization: 'none' }));
    expect(group.returns).toBeUndefined();
    [-4 / 3, -1 / 3, 5 / 3].forEach((value, i) => expect(group.advantages[i]?.[0]).toBeCloseTo(value, 12));
  });

  it('never has a reference policy or its penalty', () => {
    expect(starpoS.needs(parse()).reference).toBe(false);
    expect(starpoS.policyLoss(parse()).columns).toEqual(['oldLogprobs', 'advantages']);
  });

  it('clips wider above than below', () => {
    const ratios = [1.27, 1.29, 0.79];
    const numbers = {
      logprobs: ratios.map(Math.log),
      columns: { oldLogprobs: [0, 0, 0], advantages: [1, 1, -1] },
    };
    const { gradients } = objective.evaluateLoss(starpoS.policyLoss(parse()), numbers);
    expect(gradients['logprobs']?.[0]).toBeCloseTo(-1.27, 12);
    expect(gradients['logprobs']?.slice(1).map(Math.abs)).toEqual([0, 0]);
  });

  it('names the options that change nothing, and they do change nothing', () => {
    const inert = { gae: ['normalization'], group: ['gamma', 'lambda'] };
    const other = { normalization: 'none', gamma: 0.5, lambda: 0.5 };
    for (const estimator of ['gae', 'group'] as const) {
      const options = parse({ estimator });
      expect(starpoS.inert?.(options, { optimizerStepsPerStep: 2 })).toEqual(inert[estimator]);
      expect(starpoS.inert?.(options, { optimizerStepsPerStep: 1 })).toEqual([
        ...inert[estimator],
        'clipLow',
        'clipHigh',
      ]);
      const moved = Object.fromEntries(
        inert[estimator].map((name) => [name, other[name as keyof typeof other]]),
      );
      const before = starpoS.advantages(trajectories, parse({ estimator }));
      expect(starpoS.advantages(trajectories, parse({ estimator, ...moved }))).toEqual(before);
    }
  });

  it('asks for two trajectories per group where it compares them', () => {
    const least = (options: object) => starpoS.minGroupSize?.(parse(options));
    expect(least({ estimator: 'group', keepRatio: 1 })).toBe(2);
    expect(least({ estimator: 'gae', keepRatio: 0.5 })).toBe(2);
    expect(least({ estimator: 'gae', keepRatio: 1 })).toBe(1);
  });

  it('trains the critic with a clipped loss', () => {
    const numbers = { values: [2], columns: { oldValues: [0], returns: [3] } };
    expect(objective.evaluateLoss(starpoS.valueLoss!(parse()), numbers).perToken).toEqual([3.125]);
  });
});
