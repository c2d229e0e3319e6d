import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { testEnvironment } from '@espalier/plugin-kit/testing';
import { goldenFolder } from '@espalier/testing';
import { describe, expect, it } from 'vitest';
import { professions } from './arms.js';
import bandit from './index.js';

testEnvironment(bandit, { params: {}, oracleSolves: 1 });
testEnvironment(bandit, { params: { arms: 'trader-librarian', reversed: true }, oracleSolves: 1 });
testEnvironment(bandit, { params: { arms: 'professions', split: 'test' }, oracleSolves: 1 });
testEnvironment(bandit, { params: { arms: { low: 'Tea', high: 'Black coffee' } }, oracleSolves: 1 });

const create = (given: Record<string, unknown> = {}): ReturnType<typeof bandit.create> =>
  bandit.create(bandit.params.parse(given));

const read = <T>(name: string): T[] =>
  JSON.parse(readFileSync(join(goldenFolder('bandit'), name), 'utf8')) as T[];

describe('the reference', () => {
  it('orders the arms and pays as RAGEN when the noise is shared', async () => {
    for (const golden of read<{ seed: number; order: string; hi_reward: number }>('bandit.json')) {
      const instance = create();
      const { actions } = await instance.reset({ state: golden.seed, noise: golden.seed });
      expect(actions).toEqual(golden.order === 'lo,hi' ? ['Phoenix', 'Dragon'] : ['Dragon', 'Phoenix']);
      expect((await instance.step('Dragon')).reward).toBe(golden.hi_reward);
    }
  });

  it('draws the pair, orders and pays as RAGEN-2 when the noise is shared', async () => {
    interface Golden {
      split: 'train' | 'test';
      seed_plus_internal: number;
      pair_index: number;
      lo_first: boolean;
      hi_reward: number;
    }
    for (const golden of read<Golden>('bandit_v2.json')) {
      const instance = create({ arms: 'professions', split: golden.split });
      const seed = golden.seed_plus_internal;
      const { actions } = await instance.reset({ state: seed, noise: seed });
      const [low, high] = professions[golden.split][golden.pair_index]!;
      expect(actions).toEqual(golden.lo_first ? [low, high] : [high, low]);
      expect((await instance.step(high)).reward).toBe(golden.hi_reward);
    }
  });
});

describe('bandit', () => {
  it('pays the low arm always the same and counts it as failure', async () => {
    const instance = create();
    for (let noise = 0; noise < 20; noise++) {
      await instance.reset({ state: 1, noise });
      expect(await instance.step('Phoenix')).toMatchObject({ reward: 0.1, done: true, success: false });
    }
  });

  it('pays what its options say', async () => {
    const payouts = { lowScore: 0.2, highMissScore: -1, highHitScore: 3 };
    for (const [arm, hitProbability, reward] of [
      ['Phoenix', 1, 0.2],
      ['Dragon', 1, 3],
      ['Dragon', 0, -1],
    ] as const) {
      const instance = create({ ...payouts, hitProbability });
      await instance.reset({ state: 1, noise: 5 });
      expect((await instance.step(arm)).reward).toBe(reward);
    }
  });

  it('pays the high arm by environment noise, 0.25 on average, and counts it as success', async () => {
    const instance = create();
    let sum = 0;
    for (let noise = 0; noise < 4000; noise++) {
      await instance.reset({ state: 1, noise });
      const result = await instance.step('Dragon');
      expect(result.success).toBe(true);
      sum += result.reward;
    }
    expect(Math.abs(sum / 4000 - 0.25)).toBeLessThan(0.028); // 4 standard errors
  });

  it('shows each order about equally often', async () => {
    let first = 0;
    for (let state = 0; state < 2000; state++) {
      first += (await create().reset({ state, noise: 0 })).actions![0] === 'Dragon' ? 1 : 0;
    }
    expect(Math.abs(first / 2000 - 0.5)).toBeLessThan(0.045);
  });

  it('swaps the better arm when reversed', async () => {
    const instance = create({ reversed: true });
    await instance.reset({ state: 1, noise: 1 });
    expect(instance.oracle!()).toEqual(['Phoenix']);
    expect(instance.explain!(['Phoenix'])).toMatch(/^(Phoenix or Dragon|Dragon or Phoenix)\. try Phoenix\.$/);
  });

  it('refuses an action that is not shown', async () => {
    const instance = create();
    await instance.reset({ state: 1, noise: 1 });
    await expect(async () => instance.step('Unicorn')).rejects.toMatchObject({
      code: 'plugin.unknown_action',
      message: expect.stringContaining('"Unicorn" is not an action; expected one of'),
    });
  });

  it('refuses a split that would change nothing, and arms that cannot be told apart', () => {
    expect(() => bandit.params.parse({ split: 'test' })).toThrow(/arms: professions/);
    expect(() => bandit.params.parse({ arms: { low: 'A', high: 'A' } })).toThrow(/same name/);
  });
});
