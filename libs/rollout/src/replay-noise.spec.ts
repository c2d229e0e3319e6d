import type { Trajectory, TrajectoryGroup } from '@espalier/contracts';
import type { EnvironmentInstance } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { estimateChance, type ReplayRequest } from './replay-noise.js';

const seen = { text: '', stateKey: '' };

/** `coin` pays 1 or 0 by the noise and ends, `safe` pays 0.5 and goes on; counts what is open. */
function createCoins(noises: number[], open = { now: 0, most: 0 }) {
  return (): EnvironmentInstance => {
    let noise = 0;
    return {
      reset: (seeds) => {
        open.now += 1;
        open.most = Math.max(open.most, open.now);
        noise = seeds.noise;
        noises.push(noise);
        return seen;
      },
      step: (action) => {
        if (action === 'break') throw new Error('out of order');
        const isCoin = action === 'coin';
        const reward = isCoin ? noise % 2 : 0.5;
        return { observation: seen, reward, done: isCoin, success: isCoin, valid: true, effective: true };
      },
      render: () => '',
      close: () => void (open.now -= 1),
    };
  };
}

const groupOf = (...actions: string[][]): TrajectoryGroup => ({
  group: 0,
  environment: 'coins',
  stateSeed: 1,
  trajectories: actions.map(
    (texts, index) =>
      ({
        seeds: { state: 1, noise: 10 + index, sampling: 0 },
        turns: [{ actions: texts.map((text) => ({ text })) }],
      }) as unknown as Trajectory,
  ),
});
const request = (change: Partial<ReplayRequest> = {}): ReplayRequest => ({
  create: createCoins([]),
  noiseSeeds: 4,
  weight: 1,
  rollout: { environmentTimeoutMs: 0, maxFailedShare: 0.5 },
  atOnce: 3,
  ...change,
});

describe('estimateChance', () => {
  it('averages the variance of each trajectory over the group, by hand', async () => {
    const noises: number[] = [];
    const create = createCoins(noises);
    const { variances, steps } = await estimateChance(
      [groupOf(['coin'], ['safe', 'safe']), groupOf(['safe'])],
      request({ create, atOnce: 1 }),
    );
    const heads = noises.slice(0, 4).filter((noise) => noise % 2 === 1).length;
    // k heads of 4: Σ (x − k/4)² = k (4 − k) / 4, over 3
    expect(variances[0]).toBeCloseTo((heads * (4 - heads)) / 4 / 3 / 2, 12);
    expect(heads % 4).not.toBe(0);
    expect(variances[1]).toBe(0);
    expect(steps).toBe(4 + 8 + 4);
  });

  it('repeats under noise of its own, the same every time', async () => {
    const first: number[] = [];
    await estimateChance([groupOf(['coin'], ['coin'])], request({ create: createCoins(first), atOnce: 1 }));
    expect(new Set(first).size).toBe(8);
    expect(first).not.toContain(10);
    const again: number[] = [];
    await estimateChance([groupOf(['coin'], ['coin'])], request({ create: createCoins(again), atOnce: 8 }));
    expect(again).toEqual(first);
  });

  it('counts with the square of the weight', async () => {
    const once = await estimateChance([groupOf(['coin'])], request({ noiseSeeds: 16 }));
    const twice = await estimateChance([groupOf(['coin'])], request({ noiseSeeds: 16, weight: 2 }));
    expect(twice.variances[0]).toBeCloseTo(4 * (once.variances[0] ?? NaN), 12);
  });

  it('ends with the episode, closes what it opens, and plays no more at once than it may', async () => {
    const open = { now: 0, most: 0 };
    const create = createCoins([], open);
    const { steps } = await estimateChance([groupOf(['coin', 'safe', 'safe'])], request({ create }));
    expect(steps).toBe(4);
    expect(open).toEqual({ now: 0, most: expect.any(Number) as number });
    expect(open.most).toBeLessThanOrEqual(3);
  });

  it('leaves out what fails, up to the share that may', async () => {
    const groups = [groupOf(['coin'], ['break'])];
    const { failed, variances } = await estimateChance(groups, request());
    expect(failed).toBe(4);
    expect(variances[0]).toBeGreaterThan(0);
    await expect(
      estimateChance(groups, request({ rollout: { environmentTimeoutMs: 0, maxFailedShare: 0.1 } })),
    ).rejects.toThrow('4 of 8 failed, above the share 0.1; first: out of order');
  });

  it('stops when asked', async () => {
    await expect(
      estimateChance([groupOf(['coin'])], request({ signal: AbortSignal.abort() })),
    ).rejects.toMatchObject({ code: 'rollout.cancelled' });
  });
});
