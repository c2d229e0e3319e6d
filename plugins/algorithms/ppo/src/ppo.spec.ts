import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import ppo from './index.js';

const { estimateLossGradient, evaluateLoss } = objective;
const parse = (options: object = {}) => ppo.params.parse(options);

/** Two turns with an observation between; the last sampled token does not count but carries the reward. */
const trajectory = (total: number, values: number[]) => ({
  group: 0,
  total,
  rewards: Float64Array.from([0, 0, 0, total]),
  lossMask: Uint8Array.from([1, 0, 1, 0]),
  values: Float64Array.from(values),
  turnEnds: [0, 3],
});
const numbers = {
  logprobs: [-1, -0.5, -2],
  entropies: [1, 0.5, 2],
  columns: {
    oldLogprobs: [-1.1, -1.4, -1.2],
    advantages: [1, 2, -1.5],
    referenceLogprobs: [-1.3, -0.2, -2.1],
  },
};

testAlgorithm(ppo, { params: { critics: 3, criticPessimism: 1, gamma: 0.9 } });
testAlgorithm(ppo, { params: { critics: 2, criticCombination: 'minimum', turnGamma: 0.9 } });
testAlgorithm(ppo, { params: { klRewardCoefficient: 0.1, klRewardEstimator: 'k3', klTarget: 0.05 } });

describe('ppo', () => {
  it('needs a critic, and a reference only for a penalty', () => {
    expect(ppo.needs(parse())).toEqual({ critic: true, reference: false });
    expect(ppo.needs(parse({ klCoefficient: 0.01 }))).toEqual({ critic: true, reference: true });
    expect(ppo.policyLoss(parse()).columns).not.toContain('referenceLogprobs');
    expect(ppo.policyLoss(parse({ klCoefficient: 0.01 })).columns).toContain('referenceLogprobs');
  });

  it('has several critics if asked, and names what does nothing with one', () => {
    expect(ppo.needs(parse({ critics: 3 }))).toEqual({ critic: true, critics: 3, reference: false });
    const inert = (options: object) =>
      ppo.inert?.(parse({ klCoefficient: 1, ...options }), { optimizerStepsPerStep: 4 });
    const said = { criticCombination: 'mean', criticPessimism: 0.5 };
    expect(inert({ ...said, critics: 2 })).toEqual([]);
    expect(inert({ ...said, critics: 2, criticCombination: 'minimum' })).toEqual(['criticPessimism']);
    expect(inert(said)).toEqual(['criticCombination', 'criticPessimism']);
    expect(() => parse({ critics: 9 })).toThrow('8');
    expect(() => parse({ critics: 0 })).toThrow('1');
  });

  it('combines what several critics say as it is told, by hand', () => {
    const several = {
      ...trajectory(2, [1, 0, 0, 0]),
      criticValues: [1, 3].map((v) => Float64Array.of(v, 0, 0, 0)),
    };
    const first = (options: object) =>
      ppo.advantages([several], parse({ critics: 2, ...options })).values?.[0]?.[0];
    expect(first({})).toBe(2);
    expect(first({ criticCombination: 'minimum' })).toBe(1);
    expect(first({ criticPessimism: 0.5 })).toBe(1.5);
  });

  it('takes the divergence off the reward of each token, by hand', () => {
    const played = { ...trajectory(2, [1, 0, 0, 0]), referenceGaps: Float64Array.from([1, 9, -0.5, 9]) };
    const options = (klRewardEstimator: string) => parse({ klRewardCoefficient: 0.5, klRewardEstimator });
    const returnsOf = (estimator: string) => [
      ...(ppo.advantages([played], options(estimator)).returns?.[0] ?? []),
    ];
    // rewards −0.5 and 2 + 0.25; −0.25 and 2 − 0.0625; |x|: −0.5 and 2 − 0.25
    expect(returnsOf('k1')).toEqual([1.75, 0, 2.25, 0]);
    expect(returnsOf('k2')).toEqual([1.6875, 0, 1.9375, 0]);
    expect(returnsOf('abs')).toEqual([1.25, 0, 1.75, 0]);
    expect(ppo.advantages([played], options('k1')).metrics).toMatchObject({ 'credit/kl_reference': 0.25 });
    expect(ppo.needs(options('k1'))).toEqual({ critic: true, reference: true });
    expect(ppo.policyLoss(options('k1')).columns).not.toContain('referenceLogprobs');
  });

  it('moves the weight of the reward by klTarget, and names what has no effect without one', () => {
    const following = parse({ klRewardCoefficient: 0.5, klTarget: 0.2, klRate: 0.5 });
    const memory = ppo.startMemory?.(following, ['']) ?? {};
    expect(memory).toEqual({ klRewardCoefficient: 0.5 });
    const played = { ...trajectory(2, [1, 0, 0, 0]), referenceGaps: Float64Array.from([0.3, 0, 0.14, 0]) };
    // the mean, 0.22, is a tenth above the target
    expect(ppo.advantages([played], following, memory).memory).toEqual({
      klRewardCoefficient: expect.closeTo(0.5 * 1.05, 12) as number,
    });
    const inert = (options: object) => ppo.inert?.(parse(options), { optimizerStepsPerStep: 4 });
    expect(inert({ klRewardCoefficient: 0.5, klTarget: 0.2, klRate: 0.5 })).toEqual(['klEstimator']);
    expect(inert({ klTarget: 0.2, klRewardEstimator: 'k2' })).toEqual([
      'klEstimator',
      'klRewardEstimator',
      'klTarget',
    ]);
  });

  it('keeps every group', () => {
    const groups = [0, 1].map((group) => ({ group, totals: [1, 1] }));
    expect(ppo.select(groups, parse())).toEqual({ kept: [0, 1], reasons: ['kept', 'kept'] });
    expect(ppo.keptShare(parse())).toBe(1);
  });

  it('gives whitened advantages and unwhitened returns, by hand', () => {
    const credit = ppo.advantages([trajectory(2, [1, 0, 0, 0])], parse());
    // returns 2 at both loss tokens; advantages 1 and 2: mean 1.5, deviation sqrt(1/2)
    expect([...(credit.returns?.[0] ?? [])]).toEqual([2, 0, 2, 0]);
    const unit = 0.5 / (Math.SQRT1_2 + 1e-8);
    [-unit, 0, unit, 0].forEach((value, t) => expect(credit.advantages[0]?.[t]).toBeCloseTo(value, 12));
    expect(credit.metrics).toMatchObject({ 'credit/advantage_mean': 1.5, 'credit/advantage_max': 2 });
  });

  it('discounts by token, or by turn when told so', () => {
    const returns = (options: object) => [
      ...(ppo.advantages([trajectory(4, [0, 0, 0, 0])], parse(options)).returns?.[0] ?? []),
    ];
    expect(returns({ gamma: 0.5 })).toEqual([2, 0, 4, 0]);
    expect(returns({ turnGamma: 0.25 })).toEqual([1, 0, 4, 0]);
  });

  it.each([{}, { entropyCoefficient: 0.1 }, { klCoefficient: 0.1, klEstimator: 'k2', clipLow: 0.1 }])(
    'has the gradient that finite differences show (%o)',
    (options) => {
      const loss = ppo.policyLoss(parse(options));
      const exact = evaluateLoss(loss, numbers).gradients;
      const numeric = estimateLossGradient(loss, numbers);
      numbers.logprobs.forEach((_, i) => {
        expect(exact['logprobs']?.[i]).toBeCloseTo(numeric['logprobs']?.[i] as number, 6);
        expect(exact['entropies']?.[i]).toBeCloseTo(numeric['entropies']?.[i] as number, 6);
      });
    },
  );

  it('adds surrogate, entropy and penalty, by hand', () => {
    const loss = ppo.policyLoss(parse({ entropyCoefficient: 0.5, klCoefficient: 2, klEstimator: 'k1' }));
    const token = {
      logprobs: [-1],
      entropies: [0.8],
      columns: { oldLogprobs: [-1], advantages: [3], referenceLogprobs: [-1.25] },
    };
    expect(evaluateLoss(loss, token).perToken[0]).toBeCloseTo(-3 - 0.4 + 0.5, 12);
  });

  it('reports clip fractions, divergence, ratio and entropy', () => {
    const { metrics } = evaluateLoss(ppo.policyLoss(parse({ klCoefficient: 1 })), numbers);
    for (const name of [
      'clip_fraction_low',
      'clip_fraction_high',
      'approx_kl',
      'ratio',
      'entropy',
      'kl_reference',
    ]) {
      expect(metrics).toHaveProperty([`policy/${name}`]);
    }
  });

  it('clips the value loss as told', () => {
    const far = { values: [2], columns: { oldValues: [0], returns: [3] } };
    const valueLoss = (valueClip: number) =>
      evaluateLoss(ppo.valueLoss!(parse({ valueClip })), far).perToken[0];
    expect(valueLoss(0)).toBe(0.5);
    expect(valueLoss(0.5)).toBe(3.125);
  });

  it('names the options that change nothing, and they do change nothing', () => {
    const several = { optimizerStepsPerStep: 4 };
    expect(ppo.inert?.(parse(), several)).toEqual(['klEstimator']);
    expect(ppo.inert?.(parse({ klCoefficient: 1 }), several)).toEqual([]);
    const clips = ['clipLow', 'clipHigh', 'dualClip', 'valueClip'];
    expect(ppo.inert?.(parse({ klCoefficient: 1 }), { optimizerStepsPerStep: 1 })).toEqual(clips);
    const one = ppo.policyLoss(parse({ klEstimator: 'k1' }));
    const other = ppo.policyLoss(parse({ klEstimator: 'k2' }));
    expect({ ...one, build: 0 }).toEqual({ ...other, build: 0 });
  });

  it('refuses a dual clip of 1 or less', () => {
    expect(() => parse({ dualClip: 0.5 })).toThrow('expected 0 (off) or more than 1');
  });
});
