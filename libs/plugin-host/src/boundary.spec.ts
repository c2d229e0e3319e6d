import { type AppError, isAppError } from '@espalier/contracts';
import {
  type AlgorithmDefinition,
  defineAlgorithm,
  defineEnvironment,
  defineReward,
  createStream,
  draw,
  type Evidence,
  type EnvironmentInstance,
  type StepResult,
} from '@espalier/plugin-kit';
import { sampleTrajectory, sampleTurn } from '@espalier/plugin-kit/testing';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { guard } from './boundary.js';
import { guardAlgorithm } from './guard-algorithm.js';
import { guardEnvironment } from './guard-environment.js';
import { guardReward } from './guard-reward.js';

const label = { kind: 'environment', id: 'maze' };

async function failure(call: () => unknown): Promise<AppError> {
  try {
    await call();
  } catch (error) {
    if (isAppError(error)) return error;
    throw error;
  }
  throw new Error('expected a failure');
}

describe('guard', () => {
  it('names plugin, hook, turn and seed, and keeps the cause', async () => {
    const cause = new RangeError('off the map');
    const call = (): never => {
      throw cause;
    };
    const error = await failure(() => guard(label, 'step', call, undefined, () => ({ turn: 3, seed: 17 })));
    expect(error.code).toBe('plugin.failed');
    expect(error.message).toBe(
      'environment "maze", hook "step" (turn 3, seed 17): threw RangeError: off the map',
    );
    expect(error.details).toEqual({ kind: 'environment', id: 'maze', hook: 'step', turn: 3, seed: 17 });
    expect(error.cause).toBe(cause);
  });

  it('handles rejections and invalid asynchronous results alike', async () => {
    const check = (value: number): string | undefined =>
      value > 0 ? undefined : `returned ${value}; expected more`;
    expect(await guard(label, 'step', async () => Promise.resolve(1), check)).toBe(1);
    expect((await failure(() => guard(label, 'step', () => Promise.resolve(0), check))).message).toContain(
      'returned 0',
    );
    expect(
      (await failure(() => guard(label, 'step', () => Promise.reject(new Error('late'))))).message,
    ).toContain('late');
  });

  it('keeps synchronous calls synchronous and attributes an error once', async () => {
    expect(guard(label, 'render', () => 'text')).toBe('text');
    const inner = await failure(() => guard(label, 'step', () => JSON.parse('{') as unknown));
    const rethrow = (): never => {
      throw inner;
    };
    expect(await failure(() => guard({ kind: 'reward', id: 'outer' }, 'score', rethrow))).toBe(inner);
  });
});

describe('guardEnvironment', () => {
  const observation = { text: 'here', stateKey: 'here', actions: ['Go'] };
  const good: StepResult = {
    observation,
    reward: 0,
    done: false,
    success: false,
    valid: true,
    effective: false,
  };
  const maze = (instance: Partial<EnvironmentInstance>): EnvironmentInstance =>
    guardEnvironment(
      defineEnvironment({
        id: 'maze',
        summary: 'A maze.',
        params: z.strictObject({}),
        instruction: () => '',
        limits: () => ({ maxTurns: 1, maxActions: 1, maxActionsPerTurn: 1 }),
        create: () => ({ reset: () => observation, step: () => good, render: () => '', ...instance }),
      }),
    ).create({});

  it.each([
    ['NaN reward', { ...good, reward: NaN }, 'returned reward NaN; expected a finite number'],
    [
      'absurd reward',
      { ...good, reward: -1e308 },
      'returned reward -1e+308; expected a number within ±1000000000000',
    ],
    ['no flag', { ...good, done: undefined }, 'returned done of type undefined'],
    ['no text', { ...good, observation: { ...observation, text: 3 } }, 'text of type number'],
    ['empty state key', { ...good, observation: { ...observation, stateKey: '' } }, 'with an empty stateKey'],
    ['empty text', { ...good, observation: { ...observation, text: '' } }, 'with empty text'],
    ['infinite metric', { ...good, metrics: { speed: Infinity } }, 'metric "speed" Infinity'],
    ['nothing', undefined, 'expected a result that matches the types'],
  ])('rejects a step with %s', async (_, result, message) => {
    const instance = maze({ step: () => result as StepResult });
    await instance.reset({ state: 17, noise: 4 });
    const error = await failure(() => instance.step('Go'));
    expect(error.message).toContain('environment "maze", hook "step" (step 1, seed 17, noise 4)');
    expect(error.message).toContain(message);
  });

  it.each([
    ['text', 'iVBORw0KGgo=', 'returned of type string; expected the bytes of a PNG'],
    ['other bytes', new Uint8Array(100), 'returned 100 bytes that are no PNG'],
    ['a long side', draw.png(draw.raster(8, 1025, '#ffffff')), '8 × 1025 pixels; expected 1 to 1024'],
    ['too many bytes', new Uint8Array(70_000), 'returned 70000 bytes; expected at most 65536'],
  ])('rejects a picture of %s', async (_, bytes, message) => {
    const instance = maze({ picture: () => bytes as Uint8Array });
    const error = await failure(() => instance.picture!());
    expect(error.message).toContain('environment "maze", hook "picture"');
    expect(error.message).toContain(message);
  });

  it('has exactly the optional hooks of the plugin', () => {
    const instance = maze({ oracle: () => [1] as unknown as string[] });
    expect(instance.facts).toBeUndefined();
    expect(() => instance.oracle!()).toThrow(/not a list of action names/);
  });
});

describe('guardReward', () => {
  it('requires one finite value per turn', async () => {
    const faulty = (perTurn: number[]): Promise<AppError> => {
      const definition = defineReward({
        id: 'odd',
        summary: 'Odd.',
        params: z.strictObject({}),
        score: () => ({ perTurn }),
      });
      return failure(() =>
        guardReward(definition).score(sampleTrajectory([sampleTurn(0), sampleTurn(1)]), {}),
      );
    };
    expect((await faulty([1])).message).toContain('returned 1 values; expected one per turn, 2');
    expect((await faulty([1, NaN])).message).toContain('returned NaN for turn 1');
  });

  it('requires evidence about sampled tokens of its turn, with a value and a short note', async () => {
    const faulty = (change: Partial<Evidence>): Promise<AppError> => {
      const evidence = [{ turn: 0, start: 3, end: 4, value: 0.5, note: 'so', ...change }];
      const definition = defineReward({
        id: 'odd',
        summary: 'Odd.',
        params: z.strictObject({}),
        score: () => ({ perTurn: [1], evidence }),
      });
      return failure(() => guardReward(definition).score(sampleTrajectory([sampleTurn(0)]), {}));
    };
    expect((await faulty({ turn: 1 })).message).toContain('evidence for turn 1; expected one of 1');
    expect((await faulty({ start: 0 })).message).toContain(
      'tokens 0 to 4 of turn 0; expected some of its sampled',
    );
    expect((await faulty({ end: 3 })).message).toContain('tokens 3 to 3');
    expect((await faulty({ value: NaN })).message).toContain(
      'returned evidence NaN; expected a finite number',
    );
    expect((await faulty({ note: 'a'.repeat(201) })).message).toContain('a note of 201 characters');
  });
});

describe('guardAlgorithm', () => {
  const algorithm = (given: Partial<AlgorithmDefinition<object>>): AlgorithmDefinition<object> =>
    guardAlgorithm(
      defineAlgorithm<object>({
        id: 'odd',
        summary: 'Odd.',
        source: 'none',
        params: z.strictObject({}),
        needs: () => ({ critic: false, reference: false }),
        keptShare: () => 1,
        select: () => ({ kept: [0], reasons: ['kept'] }),
        advantages: () => ({ advantages: [] }),
        policyLoss: () => ({ id: 'odd', params: {}, columns: [], build: undefined }),
        ...given,
      }),
    );
  const one = {
    group: 0,
    total: 0,
    rewards: new Float64Array(2),
    lossMask: Uint8Array.of(0, 1),
    turnEnds: [1],
  };

  it('rejects selections and credit of the wrong shape', async () => {
    const select = algorithm({ select: () => ({ kept: [1, 0], reasons: ['', ''] }) });
    const groups = [0, 1].map((group) => ({ group, totals: [0] }));
    expect((await failure(() => select.select(groups, {}))).message).toContain('kept group 0 after 1');
    const short = algorithm({ advantages: () => ({ advantages: [new Float64Array(1)] }) });
    expect((await failure(() => short.advantages([one], {}))).message).toContain(
      'returned 1 advantages for trajectory 0',
    );
  });

  it('rejects needs that are neither true nor false', async () => {
    for (const name of ['greedyBaseline', 'turnRewards']) {
      const needs = (value: unknown) =>
        algorithm({ needs: () => ({ critic: false, reference: false, [name]: value }) });
      expect(needs(true).needs({})).toMatchObject({ [name]: true });
      expect((await failure(() => needs('yes').needs({}))).message).toContain('returned invalid needs');
    }
  });

  it.each(['drawReplay', 'holdReplay'] as const)('rejects groups that %s cannot name', async (hook) => {
    const group = { totals: [0, 1], successes: [false, true], weight: 1, age: 2 };
    const naming = (named: unknown, held = [group, group, group]) =>
      algorithm({ [hook]: () => named as number[] })[hook]?.(held, {}, { limit: 2, stream: createStream(1) });
    expect(naming([2, 0])).toEqual([2, 0]);
    expect(naming([], [])).toEqual([]);
    for (const [named, finding] of [
      [[1, 1], 'named group 1 of 3; expected integers from 0 to below 3, each once'],
      [[3], 'named group 3 of 3'],
      [[-1], 'named group -1 of 3'],
      [[0.5], 'named group 0.5 of 3'],
      [['0'], 'named group 0 of 3'],
      [[0, 1, 2], 'named 3 groups; expected at most 2'],
      ['01', 'returned something other than a list'],
    ] as const) {
      const error = await failure(() => naming(named));
      expect(error.code).toBe('plugin.failed');
      expect(error.message).toContain(`algorithm "odd", hook "${hook}": ${finding}`);
    }
    const spoiling = algorithm({ [hook]: ([first]: { totals: number[] }[]) => first?.totals.splice(0) });
    const held = [structuredClone(group)];
    const context = { limit: 2, stream: createStream(1) };
    expect((await failure(() => spoiling[hook]?.(held, {}, context))).message).toContain(hook);
    expect(held).toEqual([group]);
  });

  it('rejects columns of steps of the wrong shape, and those that are no numbers', async () => {
    const sequence = { logprobs: Float32Array.of(-1, -2), entropies: new Float32Array(2), columns: {} };
    const giving = (...columns: Record<string, number[]>[]) =>
      algorithm({ stepColumns: () => columns }).stepColumns?.([sequence], {});
    expect(giving({ ratio: [1, 2] })).toEqual([{ ratio: [1, 2] }]);
    expect((await failure(() => giving())).message).toContain('returned columns of 0 sequences; expected 1');
    expect((await failure(() => giving({ ratio: [1] }))).message).toContain(
      'returned 1 ratio for sequence 0',
    );
    expect((await failure(() => giving({ ratio: [1, NaN] }))).message).toContain(
      'returned ratio with NaN at loss token 1 of sequence 0',
    );
  });

  it('requires finite numbers only where the loss mask is 1', async () => {
    const giving = (...values: number[]): AlgorithmDefinition<object> =>
      algorithm({ advantages: () => ({ advantages: [Float64Array.from(values)] }) });
    expect(giving(NaN, 1).advantages([one], {}).advantages).toHaveLength(1);
    expect((await failure(() => giving(0, NaN).advantages([one], {}))).message).toContain('NaN at token 1');
  });

  it.each<[string, Partial<AlgorithmDefinition<object>>, string, string]>([
    [
      'credit for too few',
      { advantages: () => ({ advantages: [] }) },
      'advantages',
      'of 0 trajectories; expected 1',
    ],
    [
      'short returns',
      { advantages: () => ({ advantages: [new Float64Array(2)], returns: [new Float64Array(3)] }) },
      'advantages',
      'returned 3 returns for trajectory 0; expected one per token, 2',
    ],
    [
      'values of no number',
      { advantages: () => ({ advantages: [new Float64Array(2)], values: [Float64Array.of(0, NaN)] }) },
      'advantages',
      'returned values with NaN at token 1 of trajectory 0; expected finite numbers',
    ],
    [
      'an infinite metric',
      { advantages: () => ({ advantages: [new Float64Array(2)], metrics: { x: Infinity } }) },
      'advantages',
      'metric "x" Infinity',
    ],
    [
      'an exception',
      {
        advantages: () => {
          throw new RangeError('no credit');
        },
      },
      'advantages',
      'threw RangeError: no credit',
    ],
    [
      'a mutated number array',
      {
        advantages: ([first]) => {
          first!.rewards[1] = 7;
          return { advantages: [new Float64Array(2)] };
        },
      },
      'advantages',
      'changed "rewards" at index 1, which is read-only',
    ],
    [
      'a mutated list',
      {
        advantages: (given) => {
          (given as unknown[]).pop();
          return { advantages: [] };
        },
      },
      'advantages',
      'threw TypeError',
    ],
  ])('names the plugin and hook for %s', async (_what, given, hook, sentence) => {
    const error = await failure(() => algorithm(given).advantages([one], {}));
    expect(error.message).toContain(`algorithm "odd", hook "${hook}"`);
    expect(error.message).toContain(sentence);
    expect([...one.rewards]).toEqual([0, 0]);
  });

  it.each([
    ['an index past the end', { kept: [2], reasons: ['', ''] }, 'kept group 2 after -1; expected ascending'],
    ['NaN', { kept: [NaN], reasons: ['', ''] }, 'kept group NaN'],
    ['a group twice', { kept: [1, 1], reasons: ['', ''] }, 'kept group 1 after 1'],
    ['too few reasons', { kept: [0], reasons: [''] }, 'returned 1 reasons; expected one per group, 2'],
  ])('rejects a selection with %s', async (_what, selection, sentence) => {
    const groups = [0, 1].map((group) => ({ group, totals: [0] }));
    const error = await failure(() => algorithm({ select: () => selection }).select(groups, {}));
    expect(error.message).toContain('algorithm "odd", hook "select"');
    expect(error.message).toContain(sentence);
  });

  it.each([0, 1.5, NaN])('rejects %d critics', async (critics) => {
    const { needs } = algorithm({ needs: () => ({ critic: true, critics, reference: false }) });
    expect((await failure(() => needs({}))).message).toContain(
      `hook "needs": returned needs with ${critics} critics; expected a whole number, 1 or more`,
    );
    const given = { critic: true, critics: 2, reference: false };
    expect(algorithm({ needs: () => given }).needs({})).toEqual(given);
  });

  it.each([0, 1.5, NaN])('rejects %d as the smallest group', async (count) => {
    const { minGroupSize } = algorithm({ minGroupSize: () => count });
    const error = await failure(() => minGroupSize?.({}));
    expect(error.message).toContain(
      `algorithm "odd", hook "minGroupSize": returned ${count}; expected an integer ≥ 1`,
    );
  });
});
