import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import dapo from './index.js';

const parse = (options: object = {}) => dapo.params.parse(options);
const groups = [
  { group: 0, totals: [1, 1] },
  { group: 1, totals: [0, 1] },
  { group: 2, totals: [1] },
  { group: 3, totals: [0, 0] },
];

testAlgorithm(dapo);
testAlgorithm(dapo, {
  params: { dropEqual: false, normalization: 'none', dualClip: 3, entropyCoefficient: 0.01 },
});

describe('dapo', () => {
  it('leaves out groups that agree, with the reason', () => {
    expect(dapo.select(groups, parse())).toMatchObject({
      kept: [1],
      reasons: ['zero-variance', 'kept', 'one-trajectory', 'zero-variance'],
    });
    expect(dapo.select(groups, parse({ dropEqual: false })).kept).toEqual([0, 1, 3]);
  });

  it('asks for replacements of what it leaves out', () => {
    expect(dapo.resample?.(parse())).toBe(3);
    expect(dapo.resample?.(parse({ dropEqual: false }))).toBe(0);
  });

  it('keeps nothing where all groups agree, so that the update is skipped', () => {
    expect(dapo.select(groups.slice(0, 1), parse()).kept).toEqual([]);
  });

  it('clips wider above than below, by hand', () => {
    const ratios = [1.27, 1.29, 0.79];
    const { gradients } = objective.evaluateLoss(dapo.policyLoss(parse()), {
      logprobs: ratios.map(Math.log),
      columns: { oldLogprobs: [0, 0, 0], advantages: [1, 1, -1] },
    });
    expect(gradients['logprobs']?.[0]).toBeCloseTo(-1.27, 12);
    expect(gradients['logprobs']?.slice(1).map(Math.abs)).toEqual([0, 0]);
  });

  it('never has a reference', () => {
    expect(dapo.needs(parse())).toEqual({ critic: false, reference: false });
  });
});
