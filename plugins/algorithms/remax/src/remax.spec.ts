import { objective } from '@espalier/plugin-kit';
import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import remax from './index.js';

const parse = (options: object = {}) => remax.params.parse(options);

/** Rewards at the ends of turns of two tokens; the first token of each is shown, not sampled. */
const trajectory = (group: number, turns: readonly number[], greedyTotal?: number) => ({
  group,
  total: turns.reduce((sum, reward) => sum + reward, 0),
  ...(greedyTotal === undefined ? {} : { greedyTotal }),
  rewards: Float64Array.from(turns.flatMap((reward) => [0, reward])),
  lossMask: Uint8Array.from(turns.flatMap(() => [0, 1])),
  turnEnds: turns.map((_, turn) => 2 * turn + 1),
});

testAlgorithm(remax);
testAlgorithm(remax, { params: { klCoefficient: 0.1, klEstimator: 'k3', entropyTarget: 0.2, dualClip: 3 } });

describe('remax', () => {
  it('compares each trajectory with the greedy one of its group, by hand', () => {
    const { advantages, metrics } = remax.advantages(
      [
        trajectory(0, [0, 0, 2], 0.5), // two turns that earn nothing
        trajectory(0, [-1], 0.5),
        trajectory(1, [0.25, 0.5], 0.75), // a tie with the greedy one, in a group of one
        trajectory(2, [1], -1),
        trajectory(3, [0], 0),
      ],
      parse(),
    );
    expect(advantages.map((own) => [...own])).toEqual([
      [0, 1.5, 0, 1.5, 0, 1.5],
      [0, -1.5],
      [0, 0, 0, 0],
      [0, 2],
      [0, 0],
    ]);
    // (3 · 1.5 − 1.5 + 2 · 0 + 2 + 0) / 8 loss tokens
    expect(metrics?.['credit/advantage_mean']).toBeCloseTo(5 / 8, 12);
  });

  it('learns from samples that all earn the same, as they are not compared with each other', () => {
    const { advantages } = remax.advantages([trajectory(0, [1], 0), trajectory(0, [1], 0)], parse());
    expect(advantages.map((own) => own[1])).toEqual([1, 1]);
  });

  it('refuses credit without a greedy total, rather than to take 0', () => {
    expect(() => remax.advantages([trajectory(0, [1], 0), trajectory(1, [1])], parse())).toThrow(
      /trajectory 1 has no greedyTotal/,
    );
  });

  it('has the gradient of REINFORCE while the policy is the one that sampled', () => {
    const numbers = {
      logprobs: [-1, -0.5],
      entropies: [1, 2],
      columns: { oldLogprobs: [-1, -0.5], advantages: [1.5, -2] },
    };
    const { gradients } = objective.evaluateLoss(remax.policyLoss(parse()), numbers);
    expect(gradients['logprobs']).toEqual([-1.5, 2]);
  });

  it('asks for a greedy trajectory, takes groups of one, and keeps a reference only for a penalty', () => {
    expect(remax.needs(parse())).toEqual({ critic: false, reference: false, greedyBaseline: true });
    expect(remax.needs(parse({ klCoefficient: 0.1 })).reference).toBe(true);
    expect(remax.minGroupSize?.(parse()) ?? 1).toBe(1);
    expect(remax.select([{ group: 0, totals: [1] }], parse())).toEqual({ kept: [0], reasons: ['kept'] });
    expect(remax.inert?.(parse(), { optimizerStepsPerStep: 1 })).toEqual([
      'klEstimator',
      'clipLow',
      'clipHigh',
      'dualClip',
    ]);
  });
});
