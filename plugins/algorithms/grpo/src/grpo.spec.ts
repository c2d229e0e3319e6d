import { objective } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import grpo from './index.js';

const { estimateLossGradient, evaluateLoss } = objective;
const parse = (options: object = {}) => grpo.params.parse(options);

const trajectory = (group: number, total: number) => ({
  group,
  total,
  rewards: Float64Array.from([0, 0, total]),
  lossMask: Uint8Array.from([1, 0, 1]),
  turnEnds: [2],
});
const trajectories = [trajectory(0, 0), trajectory(0, 2), trajectory(1, 10), trajectory(1, 14)];
const firsts = (options: object) =>
  grpo.advantages(trajectories, parse(options)).advantages.map((array) => array[0]);

describe('grpo', () => {
  it('needs no critic, and a reference only for a penalty', () => {
    expect(grpo.needs(parse())).toEqual({ critic: false, reference: false });
    expect(grpo.needs(parse({ klCoefficient: 0.001 }))).toEqual({ critic: false, reference: true });
    expect(grpo.valueLoss).toBeUndefined();
  });

  it('compares trajectories within their group, by hand', () => {
    expect(firsts({ normalization: 'none' })).toEqual([-1, 1, -2, 2]);
    const a = 1 / (Math.SQRT2 + 1e-6);
    const b = 2 / (Math.sqrt(8) + 1e-6);
    expect(firsts({ normalization: 'group' })).toEqual([-a, a, -b, b]);
    const std = Math.sqrt(10 / 3) + 1e-6;
    firsts({}).forEach((value, i) => expect(value).toBeCloseTo(([-1, 1, -2, 2][i] as number) / std, 12));
  });

  it('gives all loss tokens of a trajectory the same advantage and others none', () => {
    const [first] = grpo.advantages(trajectories, parse({ normalization: 'none' })).advantages;
    expect([...(first ?? [])]).toEqual([-1, 0, -1]);
    expect(grpo.advantages(trajectories, parse()).returns).toBeUndefined();
  });

  it('drops a group of which one trajectory is left: its own total would be its advantage', () => {
    const groups = [
      { group: 0, totals: [10.9] },
      { group: 1, totals: [0, 1] },
    ];
    expect(grpo.select(groups, parse())).toEqual({ kept: [1], reasons: ['one-trajectory', 'kept'] });
  });

  it('keeps every group that can be compared, also one without signal', () => {
    const groups = [
      { group: 0, totals: [1, 1] },
      { group: 1, totals: [0, 1] },
    ];
    expect(grpo.select(groups, parse()).kept).toEqual([0, 1]);
  });

  it.each([{}, { klCoefficient: 0.04, klEstimator: 'k3', entropyCoefficient: 0.01 }])(
    'has the gradient that finite differences show (%o)',
    (options) => {
      const numbers = {
        logprobs: [-1, -0.5, -2],
        entropies: [1, 0.5, 2],
        columns: {
          oldLogprobs: [-1.1, -1.4, -1.2],
          advantages: [1, 2, -1.5],
          referenceLogprobs: [-1.3, -0.2, -2.1],
        },
      };
      const loss = grpo.policyLoss(parse(options));
      const numeric = estimateLossGradient(loss, numbers);
      evaluateLoss(loss, numbers).gradients['logprobs']?.forEach((value, i) =>
        expect(value).toBeCloseTo(numeric['logprobs']?.[i] as number, 6),
      );
    },
  );

  it('names the options that change nothing', () => {
    const several = { optimizerStepsPerStep: 2 };
    expect(grpo.inert?.(parse(), several)).toEqual(['klEstimator']);
    expect(grpo.inert?.(parse({ klCoefficient: 0.1 }), several)).toEqual([]);
    const clips = ['clipLow', 'clipHigh', 'dualClip'];
    expect(grpo.inert?.(parse({ klCoefficient: 0.1 }), { optimizerStepsPerStep: 1 })).toEqual(clips);
  });

  it('clips nothing while the policy is still the one that sampled, whatever the bounds', () => {
    const numbers = {
      logprobs: [-1, -0.5],
      entropies: [1, 2],
      columns: { oldLogprobs: [-1, -0.5], advantages: [2, -1] },
    };
    const gradients = [{}, { clipLow: 0.01, clipHigh: 0.01, dualClip: 1.5 }].map(
      (options) => evaluateLoss(grpo.policyLoss(parse(options)), numbers).gradients['logprobs'],
    );
    expect(gradients[0]).toEqual(gradients[1]);
  });

  it('asks for two trajectories per group, as one has nothing to be compared with', () => {
    expect(grpo.minGroupSize?.(parse())).toBe(2);
    const [alone] = grpo.advantages([trajectory(0, 3)], parse({ normalization: 'none' })).advantages;
    expect([...(alone ?? [])]).toEqual([3, 0, 3]); // its raw total: no comparison took place
  });
});
