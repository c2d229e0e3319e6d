import { AppError } from '@espalier/contracts';
import { createScriptedEngine } from '@espalier/engine';
import { defineReward } from '@espalier/plugin-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { collectEpisodes, collectGroups, type CollectRequest } from './group-rollout.js';
import { bindReward } from './score.js';
import { rolloutMetrics } from './statistics.js';
import { corridor, type CorridorParams } from './testing/corridor.js';
import { corridorRollout, environmentReturn, tokenizer } from './testing/corridor-rollout.js';

const rollout = corridorRollout(3);
const format = defineReward({
  id: 'format',
  summary: 'Format penalties.',
  params: z.object({}),
  score: (trajectory) => ({ perTurn: trajectory.turns.map((turn) => turn.formatPenalty) }),
});

function request(
  change: Partial<CollectRequest<CorridorParams>> = {},
  params: CorridorParams = { failAt: 0 },
) {
  const { policy } = createScriptedEngine({
    // member 0 of each group babbles once before it acts
    answer: ({ sequence, turn }) =>
      sequence.endsWith('/0') && turn === 0
        ? 'hm<|im_end|>'
        : 'go</think><answer>Right||Right</answer><|im_end|>',
    encode: (text) => tokenizer.encode(text),
  });
  return {
    seed: 5,
    rollout,
    policy,
    tokenizer,
    contextLength: 4000,
    environment: { definition: corridor, params },
    rewards: [bindReward(environmentReturn, {}, 1), bindReward(format, {}, 0.5)],
    split: 'train' as const,
    step: 1,
    ...change,
  };
}

/** Fails for the first attempt of about half of the members: noise seeds are hashes. */
const noisy = (share: number): CorridorParams => ({
  failAt: 1,
  failNoise: (noise) => noise / 2 ** 32 < share,
});

describe('collectGroups', () => {
  it('collects groups of members that share a state and nothing else', async () => {
    const progress: string[] = [];
    const { groups, failed, rollouts } = await collectGroups(
      request({ onProgress: (done, total) => progress.push(`${done}/${total}`) }),
    );
    expect(groups.map((group) => group.trajectories.map((trajectory) => trajectory.id))).toEqual([
      ['train/1/0/0', 'train/1/0/1', 'train/1/0/2'],
      ['train/1/1/0', 'train/1/1/1', 'train/1/1/2'],
    ]);
    expect([failed.length, rollouts]).toEqual([0, 6]);
    expect(progress).toEqual(['1/6', '2/6', '3/6', '4/6', '5/6', '6/6']);
    for (const group of groups) {
      expect(new Set(group.trajectories.map((trajectory) => trajectory.seeds.state))).toEqual(
        new Set([group.stateSeed]),
      );
      expect(new Set(group.trajectories.map((trajectory) => trajectory.seeds.sampling)).size).toBe(3);
    }
    expect(groups[0]?.stateSeed).not.toBe(groups[1]?.stateSeed);
  });

  it('plays no more episodes at once than the environment bears, with the same result', async () => {
    const play = async (episodes: number | undefined) => {
      let open = 0;
      let most = 0;
      const definition: typeof corridor = {
        ...corridor,
        ...(episodes !== undefined && { reads: () => ({ episodes }) }),
        create: (params) => {
          most = Math.max(most, ++open);
          return { ...corridor.create(params), close: () => void open-- };
        },
      };
      const { groups } = await collectGroups(request({ environment: { definition, params: { failAt: 0 } } }));
      return { most, tokens: groups.flatMap(({ trajectories }) => trajectories.map(({ tokens }) => tokens)) };
    };
    const free = await play(undefined);
    const bound = await play(2);
    expect([free.most, bound.most]).toEqual([6, 2]);
    expect(bound.tokens).toEqual(free.tokens);
  });

  it('declares the prompt of a group as shared, in all turns, and none where every attempt is alone', async () => {
    const declared = async (collect: (change: CollectRequest<CorridorParams>) => Promise<unknown>) => {
      const whole = request();
      const seen: (readonly [sequence: string, shared: number | undefined, tokens: number])[] = [];
      const sample: typeof whole.policy.sample = (asked, signal) => {
        seen.push([asked.sequence, asked.sharedPrefix, asked.tokens.length]);
        return whole.policy.sample(asked, signal);
      };
      await collect({ ...whole, policy: { sample, release: (names) => whole.policy.release(names) } });
      return seen;
    };
    const grouped = await declared(collectGroups);
    const turns = grouped.filter(([sequence]) => sequence === 'train/1/0/0');
    expect(turns.length).toBeGreaterThan(1);
    expect(new Set(turns.map(([, shared]) => shared))).toEqual(new Set([turns[0]?.[2]]));
    const choice = { ...rollout, episodes: 3 };
    const single = await declared((asked) => collectEpisodes({ ...asked, split: 'validation' }, choice));
    expect(new Set(single.map(([, shared]) => shared))).toEqual(new Set([undefined]));
  });

  it('closes each trajectory with an immutable score record', async () => {
    const { groups } = await collectGroups(request());
    const score = groups[0]?.trajectories[0]?.score;
    expect(score).toEqual({
      environment: 0.9,
      formatPenalty: -0.1,
      rewards: { 'environment-return': { value: 0.9, weight: 1 }, format: { value: -0.1, weight: 0.5 } },
      perTurn: [-0.05, 0.9],
      total: 0.85,
    });
    expect(() => Object.assign(score ?? {}, { total: 1 })).toThrowError(TypeError);
    expect(() => (score?.perTurn as number[]).push(1)).toThrowError(TypeError);
  });

  it('gives the same trajectories again for the same seed', async () => {
    const bare = async () =>
      (await collectGroups(request())).groups.map((group) =>
        group.trajectories.map(({ tokens, seeds, score }) => ({ tokens, seeds, score })),
      );
    expect(await bare()).toEqual(await bare());
  });

  it('stops as soon as too many have failed whatever comes of the others', async () => {
    let steps = 0;
    const counted = request(
      { rollout: { ...rollout, promptsPerStep: 8, groupSize: 16, maxFailedShare: 0.1 } },
      { failAt: 1 },
    );
    const definition: typeof corridor = {
      ...corridor,
      create(params) {
        const made = corridor.create(params);
        return {
          ...made,
          step: async (action) => {
            steps += 1;
            // one after the other, as over a network
            await new Promise((resolve) => setTimeout(resolve, steps));
            return made.step(action);
          },
        };
      },
    };
    const { params } = counted.environment;
    const failure = collectGroups({ ...counted, environment: { definition, params } });
    // 15 / (15 + 128) is past 0.1; with a second try of each there would be 256
    await expect(failure).rejects.toMatchObject({
      code: 'rollout.too_many_errors',
      details: { limit: 0.1, failed: 15 },
    });
    expect(steps).toBeLessThan(150);
  });

  it('replaces a failed episode at the same state and keeps the failure on record', async () => {
    const { groups, failed, rollouts } = await collectGroups(
      request({ rollout: { ...rollout, maxFailedShare: 1, groupSize: 16 } }, noisy(0.3)),
    );
    const kept = groups.flatMap((group) => group.trajectories);
    expect(failed.length).toBeGreaterThan(0);
    expect(rollouts).toBe(kept.length + failed.length);
    expect(kept.every((trajectory) => trajectory.stopReason === 'success')).toBe(true);
    for (const one of failed) {
      expect(one).toMatchObject({ stopReason: 'error', score: { total: 0, rewards: {} } });
      const replacement = kept.find((trajectory) => trajectory.id === one.id);
      if (replacement !== undefined) expect(replacement.seeds.state).toBe(one.seeds.state);
    }
    expect(kept.some((trajectory) => failed.some((one) => one.id === trajectory.id))).toBe(true);
  });

  it('drops a member that fails twice and never counts it as a zero reward', async () => {
    const collection = await collectGroups(
      request({ rollout: { ...rollout, maxFailedShare: 1, groupSize: 16 } }, noisy(0.7)),
    );
    const trajectories = collection.groups.flatMap((group) => group.trajectories);
    expect(trajectories.length).toBeLessThan(32);
    expect(trajectories.every((trajectory) => trajectory.score.total > 0.8)).toBe(true);
    expect(rolloutMetrics(collection)['rollout/failed_share']).toBe(
      collection.failed.length / collection.rollouts,
    );
  });

  it('stops the run past the stated share of failures and quotes the first', async () => {
    const failing = collectGroups(request({}, { failAt: 1 }));
    await expect(failing).rejects.toMatchObject({
      code: 'rollout.too_many_errors',
      details: { failed: 4, rollouts: 4 },
    });
    await expect(collectGroups(request({}, { failAt: 1 }))).rejects.toThrowError(
      /^collect 6 episodes: 4 of 4 rollouts failed \(each failed one .*the floor broke/,
    );
  });

  it('treats an illegal reward as a failure of the episode', async () => {
    const short = defineReward({ ...format, id: 'short', score: () => ({ perTurn: [] }) });
    const bad = collectGroups(request({ rewards: [bindReward(short, {}, 1)] }));
    await expect(bad).rejects.toThrowError(/reward short.*0 values for 2 turns/);
  });

  it('keeps evidence under the key of the reward that gave it', async () => {
    const seen = { turn: 0, start: 0, end: 1, value: 1, note: 'x', reward: 'another' };
    const pointing = defineReward({
      ...format,
      id: 'pointing',
      score: ({ turns }) => ({ perTurn: turns.map(() => 0), evidence: [seen] }),
    });
    const { groups } = await collectGroups(request({ rewards: [bindReward(pointing, {}, 1)] }));
    expect(groups[0]?.trajectories[0]?.score.evidence).toEqual([{ ...seen, reward: 'pointing' }]);
  });

  it('does not wait for a reward that goes on when the run stops', async () => {
    const controller = new AbortController();
    const asked: (AbortSignal | undefined)[] = [];
    const endless = defineReward({
      id: 'endless',
      summary: 'Never answers.',
      params: z.object({}),
      score: (_trajectory, _params, signal) => {
        asked.push(signal);
        return new Promise(() => undefined);
      },
    });
    const cancelled = collectGroups(
      request({ rewards: [bindReward(endless, {}, 1)], signal: controller.signal }),
    );
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'rollout.cancelled' });
    expect(asked[0]?.aborted).toBe(true);
  });

  it('ends with the error of a GPU that is lost, and asks it for nothing more', async () => {
    let asked = 0;
    const { policy } = createScriptedEngine({
      answer: () => {
        asked += 1;
        throw new AppError('runtime.device_lost', 'run session: CUDA failure 719');
      },
      encode: (text) => tokenizer.encode(text),
    });
    const release = () => {
      throw new Error('the device is lost');
    };
    const lost = collectGroups(request({ policy: { ...policy, release } }));
    await expect(lost).rejects.toMatchObject({ code: 'runtime.device_lost' });
    expect(asked).toBeLessThanOrEqual(6);
  });

  it('throws when cancelled', async () => {
    const controller = new AbortController();
    const { policy } = createScriptedEngine({
      answer: () => {
        controller.abort();
        return 'x<|im_end|>';
      },
      encode: (text) => tokenizer.encode(text),
    });
    const cancelled = collectGroups(request({ policy, signal: controller.signal }));
    await expect(cancelled).rejects.toMatchObject({ code: 'rollout.cancelled' });
  });

  it('asks for all episodes before the first one is answered', async () => {
    let waiting = 0;
    let most = 0;
    const { policy } = createScriptedEngine({
      answer: async () => {
        most = Math.max(most, ++waiting);
        await new Promise((resolve) => setImmediate(resolve));
        waiting -= 1;
        return 'go</think><answer>Right||Right</answer><|im_end|>';
      },
      encode: (text) => tokenizer.encode(text),
    });
    await collectGroups(request({ policy }));
    expect(most).toBe(6);
  });

  it('plays the other episodes to their end while one environment takes its time', async () => {
    const released: (() => void)[] = [];
    let created = 0;
    let ended = 0;
    const slow = {
      ...corridor,
      create: (params: CorridorParams) => {
        const instance = corridor.create(params);
        const isSlow = created++ === 0;
        return {
          ...instance,
          step: async (action: string) => {
            // the first one answers only after all others have ended: in step with them, it never would
            if (isSlow && ended < 5) await new Promise<void>((resolve) => released.push(resolve));
            const result = await instance.step(action);
            if (result.done && !isSlow && (ended += 1) === 5) released.forEach((release) => release());
            return result;
          },
        };
      },
    };
    const usual = await collectGroups(request());
    const late = await collectGroups(request({ environment: { definition: slow, params: { failAt: 0 } } }));
    expect(released.length).toBeGreaterThan(0);
    const lasting = (collection: typeof usual) =>
      collection.groups.flatMap(({ trajectories }) =>
        trajectories.map(({ id, tokens, score, stopReason }) => ({ id, tokens, score, stopReason })),
      );
    expect(lasting(late)).toEqual(lasting(usual));
  });

  it('ends replies at a stop sequence, and closes the turn itself', async () => {
    const collect = async (stopSequences: string[]) => {
      const { groups } = await collectGroups(request({ rollout: { ...rollout, stopSequences } }));
      return groups[1]?.trajectories[1];
    };
    const whole = await collect([]);
    const cut = await collect(['unheard', '</answer>']);
    const [turn] = cut?.turns ?? [];
    expect(turn?.response).toBe(whole?.turns[0]?.response);
    expect([turn?.sampleStop, turn?.formatValid]).toEqual(['stop', true]);
    const kinds = (trajectory: typeof whole) => (trajectory?.spans ?? []).map(({ kind }) => kind);
    expect(kinds(whole)).toContain('control');
    expect(kinds(cut)).not.toContain('control');
    expect(tokenizer.decode(cut?.tokens ?? [])).toMatch(/Right<\/answer><\|im_end\|>$/);
    const early = await collect(['Right||']);
    expect(early?.turns[0]).toMatchObject({
      response: '<think>go</think><answer>Right||',
      formatValid: false,
    });
  });

  it('gives up on an environment that does not answer in time, and replaces the episode', async () => {
    const slow = {
      ...corridor,
      create: (params: CorridorParams) => {
        const instance = corridor.create(params);
        let isStuck = false;
        return {
          ...instance,
          reset: (seeds: Parameters<typeof instance.reset>[0]) => {
            isStuck = seeds.noise / 2 ** 32 < 0.3;
            return instance.reset(seeds);
          },
          step: (action: string) =>
            isStuck ? new Promise<never>(() => undefined) : Promise.resolve(instance.step(action)),
        };
      },
    };
    const { groups, failed } = await collectGroups(
      request({
        environment: { definition: slow, params: { failAt: 0 } },
        rollout: { ...rollout, groupSize: 16, maxFailedShare: 1, environmentTimeoutMs: 20 },
      }),
    );
    expect(failed.length).toBeGreaterThan(0);
    for (const one of failed) {
      expect(one.stopReason).toBe('timeout');
      expect(one.error).toMatch(/turn \d .*step\(\) did not end within 20 ms/);
    }
    const kept = groups.flatMap(({ trajectories }) => trajectories);
    expect(kept.length).toBeGreaterThan(16);
    expect(kept.every(({ stopReason }) => stopReason === 'success')).toBe(true);
  });

  it('releases every sequence', async () => {
    const released: string[] = [];
    const base = request().policy;
    const policy = {
      sample: base.sample.bind(base),
      release: (sequences: readonly string[]) => void released.push(...sequences),
    };
    await collectGroups(request({ policy }));
    expect(released.sort()).toEqual([0, 1].flatMap((g) => [0, 1, 2].map((m) => `train/1/${g}/${m}`)));
  });
});

describe('collectEpisodes', () => {
  it('takes one attempt at each fixed state, whatever the run', async () => {
    const validation = { episodes: 4, temperature: 0, topP: 1, topK: 0 };
    const one = await collectEpisodes(request({ split: 'validation' }), validation);
    const two = await collectEpisodes(request({ split: 'validation', seed: 77, step: 9 }), validation);
    expect(one.groups.map((group) => group.stateSeed)).toEqual([123_000, 123_001, 123_002, 123_003]);
    expect(two.groups.map((group) => group.trajectories[0]?.seeds)).toEqual(
      one.groups.map((group) => group.trajectories[0]?.seeds),
    );
    expect(rolloutMetrics(one, 'validation')).toMatchObject({
      'validation/success_rate': 1,
      'validation/turns': 2,
    });
  });
});
