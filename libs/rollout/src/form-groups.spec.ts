/** @file Greedy baselines of groups: which episodes they are, that their start is checked, and what they are left without. */
import type { SampleRequest } from '@espalier/contracts';
import { createScriptedEngine } from '@espalier/engine';
import { describe, expect, it } from 'vitest';
import type { EpisodePlayer } from './episode-player.js';
import { collectGroups, type CollectRequest } from './group-rollout.js';
import { bindReward } from './score.js';
import { rolloutMetrics } from './statistics.js';
import { corridor, type CorridorParams } from './testing/corridor.js';
import { corridorRollout, environmentReturn, tokenizer } from './testing/corridor-rollout.js';

const rollout = corridorRollout(1);

function request(change: Partial<CollectRequest<CorridorParams>> = {}) {
  const asked: SampleRequest[] = [];
  // whoever samples falls off the left end, whoever is greedy reaches the goal
  const of = (way: string) =>
    createScriptedEngine({
      answer: () => `go</think><answer>${way}||${way}</answer><|im_end|>`,
      encode: (text) => tokenizer.encode(text),
    }).policy;
  const [sampled, greedy] = [of('Left'), of('Right')];
  return {
    asked,
    seed: 5,
    rollout,
    policy: {
      sample: (one: SampleRequest, signal?: AbortSignal) => {
        asked.push(one);
        return (one.params.temperature === 0 ? greedy : sampled).sample(one, signal);
      },
      release: () => undefined,
    },
    tokenizer,
    contextLength: 4000,
    environment: { definition: corridor, params: { failAt: 0 } },
    rewards: [bindReward(environmentReturn, {}, 1)],
    split: 'train' as const,
    step: 1,
    greedyBaseline: true,
    ...change,
  };
}

describe('greedy baselines', () => {
  it('belong to their groups, and to no mean', async () => {
    const progress: string[] = [];
    const whole = request({ onProgress: (done, total) => progress.push(`${done}/${total}`) });
    const collection = await collectGroups(whole);
    const { groups, rollouts, rewardMetrics, rewardRecords } = collection;
    expect(groups.map(({ trajectories }) => trajectories.map(({ id }) => id))).toEqual([
      ['train/1/0/0'],
      ['train/1/1/0'],
    ]);
    expect(groups.map(({ greedyBaseline }) => [greedyBaseline?.id, greedyBaseline?.success])).toEqual([
      ['train/1/0/1', true],
      ['train/1/1/1', true],
    ]);
    expect(groups.map(({ greedyBaseline }) => greedyBaseline?.seeds.state)).toEqual(
      groups.map(({ stateSeed }) => stateSeed),
    );
    expect([rollouts, rewardRecords?.length]).toEqual([4, 2]);
    expect(rewardMetrics['reward/environment-return']).toBeCloseTo(-0.2, 12);
    expect(progress).toEqual(['1/4', '2/4', '3/4', '4/4']);
    const metrics = rolloutMetrics(collection);
    expect(metrics).toMatchObject({
      'rollout/success_rate': 0,
      'rollout/greedy_success_rate': 1,
      'rollout/environment_steps': 8,
      'rollout/turns': 1,
      'rollout/failed_share': 0,
    });
    expect(metrics['rollout/reward_mean']).toBeCloseTo(-0.2, 12);
    expect(metrics['rollout/greedy_reward_mean']).toBeCloseTo(0.9, 12);
    // the prompt of a group of one is that of its greedy episode too
    expect(whole.asked.every(({ sharedPrefix }) => sharedPrefix !== undefined)).toBe(true);
  });

  it('are not played where nobody asks for them', async () => {
    const { groups } = await collectGroups(request({ greedyBaseline: false }));
    expect(groups.every((group) => !('greedyBaseline' in group))).toBe(true);
    expect(rolloutMetrics({ groups, failed: [], rollouts: 2, rewardMetrics: {} })).not.toHaveProperty(
      'rollout/greedy_reward_mean',
    );
  });

  it('start as their groups do, or all of it has failed', async () => {
    let opened = 0;
    const definition: typeof corridor = {
      ...corridor,
      create: (params) => {
        const own = corridor.create(params);
        const number = (opened += 1);
        return {
          ...own,
          reset: async (seeds) => ({ ...(await own.reset(seeds)), stateKey: `${number}` }),
        };
      },
    };
    const changed = request({
      environment: { definition, params: { failAt: 0 } },
      rollout: { ...rollout, maxFailedShare: 1 },
    });
    const { groups, failed } = await collectGroups(changed);
    expect(groups).toEqual([]);
    expect(failed.map(({ id }) => id).sort()).toEqual(
      [0, 1].flatMap((g) => [0, 1].map((i) => `train/1/${g}/${i}`)),
    );
    expect(failed[0]?.error).toContain('of one group have different first states');
  });

  it('are played by agent programs at temperature 0', async () => {
    const asked: (readonly [index: number, temperature: number])[] = [];
    const { groups: played } = await collectGroups(request());
    const [{ trajectories: [one] = [] } = {}] = played;
    const play: EpisodePlayer = async ({ rollout: own, sampling }) => {
      asked.push([own.index, sampling.temperature]);
      const { score: _, ...rest } = one as NonNullable<typeof one>;
      const { split, step, group, index } = own;
      return { ...rest, ...own, id: `${split}/${step}/${group}/${index}` } as never;
    };
    await collectGroups(request({ play }));
    expect(asked.sort()).toEqual([
      [0, 1],
      [0, 1],
      [1, 0],
      [1, 0],
    ]);
  });
});
