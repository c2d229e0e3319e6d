import { testAlgorithm } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import gigpo from './index.js';

const parse = (options: object = {}) => gigpo.params.parse(options);
/** Turns of an observation and one sampled token. */
const play = (rewards: number[], stateKeys: string[]) => ({
  group: 0,
  total: rewards.reduce((sum, reward) => sum + reward, 0),
  rewards: Float64Array.from(rewards.flatMap((reward) => [0, reward])),
  lossMask: Uint8Array.from(rewards.flatMap(() => [0, 1])),
  turnEnds: rewards.map((_, turn) => 2 * turn + 1),
  stateKeys,
});

testAlgorithm(gigpo);
testAlgorithm(gigpo, {
  params: { normalization: 'none', turnGamma: 0.5, turnWeight: 2, klCoefficient: 0.1, klEstimator: 'k3' },
});

describe('gigpo', () => {
  it('adds what turns from the same state differ in to what trajectories differ in, by hand', () => {
    // totals 2 and 0; returns 0.5 1 2 and 0.5 -1; state a: 0.5, 2, 0.5 with mean 1
    const trajectories = [play([0, 0, 2], ['a', 'b', 'a']), play([1, -1], ['a', 'c'])];
    const { advantages, metrics } = gigpo.advantages(
      trajectories,
      parse({ normalization: 'none', turnGamma: 0.5, turnWeight: 2 }),
    );
    expect(advantages.map((own) => [...own])).toEqual([
      [0, 1 - 1, 0, 1, 0, 1 + 2],
      [0, -1 - 1, 0, -1],
    ]);
    expect(metrics?.['credit/compared_turns_share']).toBe(0.6);
  });

  it('is group-relative where no state recurs', () => {
    const { advantages } = gigpo.advantages([play([1], ['a']), play([0], ['b'])], parse());
    const std = Math.SQRT1_2 + 1e-6;
    expect(advantages.map((own) => own[1])).toEqual([0.5 / std, -0.5 / std]);
  });

  it('refuses trajectories without state keys', () => {
    const { stateKeys: _, ...unknown } = play([1], ['a']);
    expect(() => gigpo.advantages([unknown], parse())).toThrow('has 0 state keys for 1 turns');
  });

  it('says that it compares turns', () => {
    expect(gigpo.needs(parse())).toEqual({ critic: false, reference: false, turnRewards: true });
  });

  it('drops a group of which one trajectory is left', () => {
    expect(gigpo.select([{ group: 0, totals: [1] }], parse()).kept).toEqual([]);
  });
});
