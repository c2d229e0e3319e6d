import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineEnvironment, type EnvironmentInstance, type StepResult } from './define-environment.js';

const actions = ['Left', 'Right'];
const seeds = { state: 1, noise: 2 };

const walk = defineEnvironment({
  id: 'walk',
  summary: 'Walk to the right.',
  actions,
  create: () => {
    let place = 0;
    return {
      reset: () => {
        place = 0;
        return `at ${place}`;
      },
      step: (action) => {
        place = Math.max(0, place + (action === 'Right' ? 1 : -1));
        return { observation: `at ${place}`, reward: place === 2 ? 1 : 0, done: place === 2 };
      },
    };
  },
});

describe('an environment without what most do not need', () => {
  it('has no options, an empty instruction and ten turns of one action', () => {
    expect(walk.params.parse({})).toEqual({});
    expect(walk.params.safeParse({ size: 3 }).success).toBe(false);
    expect(walk.instruction({})).toBe('');
    expect(walk.limits({})).toEqual({ maxTurns: 10, maxActionsPerTurn: 1, maxActions: 10 });
  });

  it('observes a text as its own state key, with the actions of the definition', async () => {
    const instance = walk.create({});
    expect(await instance.reset(seeds)).toEqual({ text: 'at 0', stateKey: 'at 0', actions });
    expect(instance.render()).toBe('at 0');
  });

  it('derives whether a step was effective and successful', async () => {
    const instance = walk.create({});
    await instance.reset(seeds);
    const flags = async (action: string): Promise<unknown[]> => {
      const { valid, effective, success, done } = await instance.step(action);
      return [valid, effective, success, done];
    };
    expect(await flags('Left')).toEqual([true, false, false, false]);
    expect(await flags('Right')).toEqual([true, true, false, false]);
    expect(await flags('Right')).toEqual([true, true, true, true]);
    expect(instance.render()).toBe('at 2');
  });

  it('refuses an action that is not in its list before it takes the step', async () => {
    const instance = walk.create({});
    await instance.reset(seeds);
    expect(() => instance.step('Up')).toThrow('"Up" is not an action; expected one of "Left", "Right"');
    expect(instance.render()).toBe('at 0');
  });

  it('fills in limits around those given, and takes functions of the options', () => {
    const sized = defineEnvironment({
      id: 'sized',
      summary: 'As many turns as asked for.',
      params: z.strictObject({ turns: z.int().default(3).describe('turns') }),
      limits: ({ turns }) => ({ maxTurns: turns, maxActionsPerTurn: 2 }),
      actions: ({ turns }) => [`after ${turns}`],
      create: () => ({
        reset: () => ({ text: 'begin' }),
        step: () => ({
          observation: { text: 'end', stateKey: 'other' },
          reward: -1,
          done: true,
          valid: false,
        }),
      }),
    });
    expect(sized.limits({ turns: 4 })).toEqual({ maxTurns: 4, maxActionsPerTurn: 2, maxActions: 8 });
    const instance = sized.create({ turns: 4 });
    expect(instance.reset(seeds)).toEqual({ text: 'begin', stateKey: 'begin', actions: ['after 4'] });
    expect(instance.step('after 4')).toEqual({
      observation: { text: 'end', stateKey: 'other', actions: ['after 4'] },
      reward: -1,
      done: true,
      valid: false,
      effective: true,
      success: false,
    });
  });

  it('waits for promises', async () => {
    const slow = defineEnvironment({
      id: 'slow',
      summary: 'Answers later.',
      create: () => ({
        reset: () => Promise.resolve('begin'),
        step: () => Promise.resolve({ observation: 'end', reward: 1, done: true }),
      }),
    }).create({});
    expect(await slow.reset(seeds)).toEqual({ text: 'begin', stateKey: 'begin' });
    expect(await slow.step('anything')).toMatchObject({ success: true, effective: true });
  });
});

describe('an environment that says everything', () => {
  const result: StepResult = {
    observation: { text: 'here', stateKey: 'key' },
    reward: 1,
    done: true,
    success: false,
    valid: true,
    effective: false,
  };
  const make = (instance: EnvironmentInstance): EnvironmentInstance =>
    defineEnvironment({ id: 'whole', summary: 'Whole.', create: () => instance }).create({});

  it('keeps its own answers, the very objects', async () => {
    const instance = make({ reset: () => result.observation, step: () => result, render: () => 'picture' });
    expect(await instance.reset(seeds)).toBe(result.observation);
    expect(await instance.step('x')).toBe(result);
    expect(instance.render()).toBe('picture');
  });

  it('may be an instance of a class with private fields and further hooks', async () => {
    class Counter implements EnvironmentInstance {
      #count = 0;
      reset = (): StepResult['observation'] => result.observation;
      step(): StepResult {
        this.#count += 1;
        return result;
      }
      render = (): string => 'picture';
      facts(): Record<string, unknown> {
        return { count: this.#count };
      }
    }
    const instance = make(new Counter());
    await instance.step('x');
    expect(instance.facts?.()).toEqual({ count: 1 });
  });

  it('leaves what is no result to the guard of plugins', async () => {
    const instance = make({
      reset: () => undefined as unknown as StepResult['observation'],
      step: () => undefined as unknown as StepResult,
      render: () => '',
    });
    expect(await instance.reset(seeds)).toBeUndefined();
    expect(await instance.step('x')).toBeUndefined();
  });
});
