import { describe, expect, it } from 'vitest';
import type { CreditedTrajectory } from './trajectory-credit.js';
import { estimateTurnCredit, type TurnCreditOptions } from './turn-credit.js';

/** Turns of an observation and one sampled token. */
const play = (group: number, rewards: number[], stateKeys: string[]): CreditedTrajectory => ({
  group,
  total: rewards.reduce((sum, reward) => sum + reward, 0),
  rewards: Float64Array.from(rewards.flatMap((reward) => [0, reward])),
  lossMask: Uint8Array.from(rewards.flatMap(() => [0, 1])),
  turnEnds: rewards.map((_, turn) => 2 * turn + 1),
  stateKeys,
});
const credit = (trajectories: CreditedTrajectory[], options: Partial<TurnCreditOptions>) => {
  const { advantages, metrics } = estimateTurnCredit(trajectories, {
    compare: 'state',
    turnGamma: 0.5,
    normalization: 'none',
    turnWeight: 1,
    episodeWeight: 1,
    ...options,
  });
  return { turns: advantages.map((own) => [...own].filter((_, t) => t % 2 === 1)), metrics };
};

// both start in a; the first comes back to it; totals 2 and 0
const loop = play(0, [0, 0, 2], ['a', 'b', 'a']);
const straight = play(0, [1, -1], ['a', 'c']);

describe('credit of turns', () => {
  it('compares turns from the same state, also within a trajectory, by hand', () => {
    // returns 0.5 1 2 and 0.5 -1; state a: 0.5, 2, 0.5, mean 1
    const { turns, metrics } = credit([loop, straight], {});
    expect(turns).toEqual([
      [1 - 0.5, 1, 1 + 1],
      [-1 - 0.5, -1],
    ]);
    expect(metrics['credit/compared_turns_share']).toBe(0.6);
  });

  it('does not compare states of different groups', () => {
    const { turns, metrics } = credit([loop, { ...straight, group: 1 }], { turnWeight: 1, episodeWeight: 0 });
    expect(turns).toEqual([
      [-0.75, 0, 0.75],
      [0, 0],
    ]);
    expect(metrics['credit/compared_turns_share']).toBe(0.4);
  });

  it('compares turns at the same place, with what each earned itself', () => {
    // rewards 0 0 2 and 1 -1
    const { turns } = credit([loop, straight], { compare: 'index', turnGamma: 0, episodeWeight: 0 });
    expect(turns).toEqual([
      [-0.5, 0.5, 0],
      [0.5, -0.5],
    ]);
  });

  it('compares all turns of a group', () => {
    const { turns } = credit([play(0, [0, 4], []), play(0, [2], [])], {
      compare: 'all',
      turnGamma: 0,
      episodeWeight: 0,
    });
    expect(turns).toEqual([[-2, 2], [0]]);
  });

  it('divides by deviations if asked, and gives exactly 0 to ties', () => {
    const { turns } = credit([play(0, [1], ['a']), play(0, [0], ['a'])], { normalization: 'group' });
    expect(turns[0]?.[0]).toBeCloseTo((2 * 0.5) / (Math.SQRT1_2 + 1e-6), 12);
    expect(credit([play(0, [0.1], ['a']), play(0, [0.1], ['a'])], { normalization: 'group' }).turns).toEqual([
      [0],
      [0],
    ]);
  });

  it('counts a turn without loss tokens, which only learns nothing', () => {
    const silent = { ...straight, lossMask: Uint8Array.from([0, 0, 0, 1]) };
    const [, second] = credit([loop, silent], {}).turns;
    expect(second).toEqual([0, -1]);
  });

  it('refuses trajectories without state keys where states are compared', () => {
    const { stateKeys: _, ...unknown } = loop;
    expect(() => credit([unknown], {})).toThrow('trajectory 0 has 0 state keys for 3 turns');
    expect(() => credit([unknown], { compare: 'index' })).not.toThrow();
  });
});
