import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import biLevel from './index.js';

const parse = (options: object = {}) => biLevel.params.parse(options);
// two turns of two tokens with an observation between them; the first pays nothing
const trajectory = {
  group: 0,
  total: 4,
  rewards: Float64Array.from([0, 0, 0, 0, 4]),
  lossMask: Uint8Array.from([1, 1, 0, 1, 1]),
  values: Float64Array.from([1, 2, 0, 0.5, 3]),
  turnEnds: [1, 4],
};
const returnsOf = (options: object) => [
  ...(biLevel.advantages([trajectory], parse(options)).returns?.[0] ?? []),
];

testAlgorithm(biLevel);
testAlgorithm(biLevel, { params: { wholeTurns: true, turnGamma: 0.9, lambda: 0.8 } });
testAlgorithm(biLevel, { params: { gamma: 0.9, klCoefficient: 0.1, klEstimator: 'k3' } });
testAlgorithm(biLevel, { params: { klRewardCoefficient: 0.1, klRewardEstimator: 'k2', klTarget: 0.05 } });

describe('bi-level', () => {
  it('carries value from turn to turn, and then within each, by hand', () => {
    // turns: A_2 = 4 − 3; A_1 = 0 + 0.5 · 3 − 2 + 0.25 · A_2 = −0.25, return 1.75
    // tokens, γ = 1, λ = 0.5: last 4; before it 3 − 0.5 + 0.5 · 1 = 3, return 3.5; first turn 1.75; 2 − 1 + 0.5 · −0.25
    expect(returnsOf({ turnGamma: 0.5, lambda: 0.5 })).toEqual([1.875, 1.75, 0, 3.5, 4]);
  });

  it('gives all tokens of a turn its credit if asked', () => {
    // values before turns 1 and 0.5: A_2 = 3.5; A_1 = 0.5 · 0.5 − 1 + 0.25 · 3.5 = 0.125
    expect(returnsOf({ turnGamma: 0.5, lambda: 0.5, wholeTurns: true })).toEqual([1.125, 1.125, 0, 4, 4]);
  });

  it('takes the divergence off the rewards of its tokens, which are those of its turns, by hand', () => {
    const options = { turnGamma: 0.5, lambda: 0.5, wholeTurns: true, klRewardCoefficient: 0.5 };
    const played = { ...trajectory, referenceGaps: Float64Array.from([1, 1, 9, 0, 2]) };
    // turns pay −1 and 4 − 1: A_2 = 3 − 0.5 = 2.5; A_1 = −1 + 0.5 · 0.5 − 1 + 0.25 · 2.5 = −1.125
    const { returns } = biLevel.advantages([played], parse(options));
    expect([...(returns?.[0] ?? [])]).toEqual([-0.125, -0.125, 0, 3, 3]);
    expect(biLevel.needs(parse(options)).reference).toBe(true);
  });

  it('names options without effect, and they have none', () => {
    expect(biLevel.inert?.(parse({ wholeTurns: true }), { optimizerStepsPerStep: 1 })).toEqual([
      'gamma',
      'klEstimator',
      'clipLow',
      'clipHigh',
      'dualClip',
      'valueClip',
    ]);
    const options = { wholeTurns: true, lambda: 0.5 };
    expect(returnsOf({ ...options, gamma: 0.1 })).toEqual(returnsOf(options));
  });

  it('needs a critic, and a reference only for a penalty', () => {
    expect(biLevel.needs(parse())).toEqual({ critic: true, reference: false });
    expect(biLevel.needs(parse({ klCoefficient: 0.1 }))).toEqual({ critic: true, reference: true });
  });
});
