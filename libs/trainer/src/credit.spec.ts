import grpo from '@espalier/algorithm-grpo';
import ppo from '@espalier/algorithm-ppo';
import reinforce from '@espalier/algorithm-reinforce-plus-plus';
import type { Trajectory } from '@espalier/contracts';
import type { AlgorithmDefinition } from '@espalier/plugin-kit';
import { sampleReply, sampleTrajectoryOf } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { estimateCredit } from './credit.js';
import { tinySpec } from './testing/tiny-run.js';

const spec = tinySpec();

/** One turn of five sampled tokens: two thoughts, `</think>`, `<answer>`, … and a reward of 1 with evidence of its own. */
function trajectory(total: number, value: number | undefined): Trajectory {
  const { textEnds: _, ...rest } = sampleTrajectoryOf([sampleReply('go down', 'Down')]);
  const start = rest.turns[0]?.sampled.start ?? 0;
  return {
    ...rest,
    score: {
      environment: 0,
      formatPenalty: 0,
      rewards: { sure: { value: total / 2, weight: 2 } },
      perTurn: [total],
      total,
      // half the value, because the reward counts twice
      ...(value === undefined
        ? {}
        : {
            evidence: [{ reward: 'sure', turn: 0, start, end: start + 2, value: value / 2, note: 'go down' }],
          }),
    },
  };
}

async function advantagesOf(
  group: readonly Trajectory[],
  algorithm: AlgorithmDefinition<never>,
  params: Record<string, unknown> = {},
  own = spec,
) {
  const critic = {
    values: (requests: readonly { positions: Int32Array }[]) =>
      requests.map(({ positions }) => new Float32Array(positions.length)),
  };
  const { credit, examples } = await estimateCredit([group], {
    spec: own,
    algorithm: algorithm as unknown as AlgorithmDefinition<unknown>,
    algorithmParams: algorithm.params.parse(params),
    policy: { score: async () => [] },
    ...(algorithm.id === 'ppo' ? { critics: [critic as never] } : {}),
  });
  return { credit, columns: examples.map(({ columns }) => [...(columns['advantages'] ?? [])]) };
}

describe('evidence', () => {
  it('changes the advantages of tokens in the loss under a group algorithm', async () => {
    // totals 1 and 0, of the first 0.6 by evidence on its first two tokens, 0.3 each; mean 0.5, mean evidence 0.3
    const { columns } = await advantagesOf([trajectory(1, 0.6), trajectory(0, undefined)], grpo as never, {
      normalization: 'none',
    });
    const [first = [], second = []] = columns;
    // a token gets what was earned from it on: 0.5; 0.5 - (0.3 - 0.15); 0.5 - (0.6 - 0.3) for all others
    expect(first.slice(0, 4).map((value) => Number(value.toFixed(5)))).toEqual([0.5, 0.35, 0.2, 0.2]);
    expect(new Set(second)).toEqual(new Set([-0.5]));
    const { columns: without } = await advantagesOf(
      [trajectory(1, undefined), trajectory(0, undefined)],
      grpo as never,
      { normalization: 'none' },
    );
    expect(new Set(without[0])).toEqual(new Set([0.5]));
  });

  it('moves reward to its tokens for a critic, and keeps its sum', async () => {
    const params = { gamma: 1, lambda: 1 };
    const { credit } = await advantagesOf(
      [trajectory(1, 0.6), trajectory(0, undefined)],
      ppo as never,
      params,
    );
    const returns = credit.returns?.[0] ?? new Float64Array();
    const { sampled } = trajectory(1, 0.6).turns[0] ?? { sampled: { start: 0, end: 0 } };
    // with γ = λ = 1 the target is what is earned from the token on: 1, then 0.7, then 0.4
    const own = [...returns.slice(sampled.start, sampled.start + 4)].map((value) => Number(value.toFixed(6)));
    expect(own).toEqual([1, 0.7, 0.4, 0.4]);
  });
});

describe('update.rewardNormalization', () => {
  it('is what an algorithm sees in place of what was earned', async () => {
    const given = [trajectory(3, undefined), trajectory(1, undefined)];
    const normalized = (rewardNormalization: object) => tinySpec({ update: { rewardNormalization } });
    const none = { normalization: 'none' };
    const raw = await advantagesOf(given, grpo as never, none);
    expect(raw.columns.map((own) => own[0])).toEqual([1, -1]);
    const { columns } = await advantagesOf(given, grpo as never, none, normalized({}));
    expect(columns[0]?.[0]).toBeCloseTo(Math.SQRT1_2, 5);
    const { credit } = await advantagesOf(given, ppo as never, {}, normalized({ method: 'mean' }));
    expect(credit.returns?.map((own) => own.at(-1))).toEqual([1, -1]);
  });
});

describe('hasSignal', () => {
  /** A critic and a reference that say something else of each trajectory. */
  const ask = async (totals: readonly number[], algorithm: unknown, params: object = {}, own = spec) => {
    const { needs, params: options } = algorithm as AlgorithmDefinition<unknown>;
    const algorithmParams = options.parse(params);
    const different = (requests: readonly { positions: Int32Array }[]) =>
      requests.map(({ positions }, index) => Float32Array.from(positions, (_, n) => (n % 3) - index - 1));
    const needed = needs(algorithmParams);
    const { examples, ...credited } = await estimateCredit(
      [totals.slice(0, 2), totals.slice(2)].map((group) =>
        group.map((total) => trajectory(total, undefined)),
      ),
      {
        spec: own,
        algorithm: algorithm as AlgorithmDefinition<unknown>,
        algorithmParams,
        policy: { score: async () => [] },
        ...(needed.critic
          ? { critics: [{ values: async (asked: never) => different(asked) } as never] }
          : {}),
        ...(needed.reference
          ? {
              reference: {
                score: async (asked: Parameters<typeof different>[0]) =>
                  different(asked).map((logprobs) => ({ logprobs, entropies: logprobs })),
              } as never,
            }
          : {}),
      },
    );
    const hasAdvantage = examples.some(({ columns }) => columns['advantages']?.some((one) => one !== 0));
    return { ...credited, hasAdvantage, returns: examples.map(({ columns }) => columns['returns']?.[0]) };
  };
  const nothing = { hasSignal: false, hasGradient: false, hasAdvantage: false };

  it('is missing with a critic or a reference where all of a batch earn the same', async () => {
    expect(await ask([-0.1, -0.1, -0.1, -0.1], ppo)).toMatchObject({
      ...nothing,
      returns: [-0.1, -0.1, -0.1, -0.1].map(Math.fround),
    });
    expect(await ask([-0.1, -0.1, -0.1, -0.1], grpo, { klCoefficient: 0.1 })).toMatchObject(nothing);
  });

  it('is there for a critic where groups differ, and for a group where its members do', async () => {
    const all = { hasSignal: true, hasGradient: true, hasAdvantage: true };
    expect(await ask([1, 1, 0, 0], ppo)).toMatchObject(all);
    expect(await ask([1, 1, 0, 0], grpo, { klCoefficient: 0.1 })).toMatchObject(nothing);
    expect(await ask([1, 0, 0, 0], grpo, { klCoefficient: 0.1 })).toMatchObject(all);
  });

  it('is missing where only a penalty in the reward gives advantages, which still pull', async () => {
    for (const algorithm of [reinforce, ppo])
      expect(await ask([1, 1, 1, 1], algorithm, { klRewardCoefficient: 0.1 })).toMatchObject({
        hasSignal: false,
        hasGradient: true,
        hasAdvantage: true,
      });
  });

  it('is there where observations teach, whatever was earned', async () => {
    const observing = tinySpec({ update: { observationLoss: { coefficient: 0.05 } } });
    expect(await ask([0, 0, 0, 0], ppo, {}, observing)).toMatchObject({
      hasSignal: true,
      hasAdvantage: false,
    });
  });
});
