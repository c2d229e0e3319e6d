import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PolicyEngine, Trajectory } from '@espalier/contracts';
import { defineEnvironment, type DefinitionKinds, type EnvironmentDefinition } from '@espalier/plugin-kit';
import { removeFolder } from '@espalier/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PluginLookup } from './bind-plugins.js';
import { type ContinueRequest, continueTrajectory } from './continue-trajectory.js';
import { tinyEngine, tinyRegistry, tinySpec, tinyTokenizer, trainTiny } from './testing/tiny-run.js';

const root = mkdtempSync(join(tmpdir(), 'espalier-continue-'));
let wrong: Trajectory;
beforeAll(async () => {
  // always Right: where the side is Left, three turns are lost
  const engine = tinyEngine({ say: () => 'Right</answer><end>' });
  const { events } = await trainTiny(root, { engine, spec: { steps: 1 } });
  const played = events.flatMap((event) => (event.kind === 'trajectory' ? [event.trajectory] : []));
  wrong = played.find(({ success, split }) => !success && split === 'train') as Trajectory;
});
afterAll(() => removeFolder(root));

const go = (change: Partial<ContinueRequest> = {}) =>
  continueTrajectory({
    spec: tinySpec(),
    registry: tinyRegistry,
    folder: 'nowhere',
    tokenizer: tinyTokenizer,
    engine: tinyEngine(),
    trajectory: wrong,
    episodes: 400,
    ...change,
  });

/** The tiny plugins with another environment. */
const withEnvironment = (change: Partial<EnvironmentDefinition<unknown>>): PluginLookup => ({
  get: <Kind extends keyof DefinitionKinds>(kind: Kind, id: string) => {
    const found = tinyRegistry.get(kind, id);
    return kind === 'environment' ? ({ ...found, ...change } as typeof found) : found;
  },
});

describe('continueTrajectory', () => {
  it('finds the chance of success from each turn, as worked by hand', async () => {
    expect(wrong.turns).toHaveLength(3);
    const { continued, environment, trajectory, temperature } = await go();
    expect([environment, trajectory, temperature]).toEqual(['guess', wrong.id, 1]);
    // Left with probability ½ in each of the turns that are left: 1 − ½ⁿ
    for (const [index, chance] of [0.875, 0.75, 0.5].entries()) {
      const { turn, episodes, failed, successLow, successHigh } = continued[index] ?? {};
      expect([turn, episodes, failed]).toEqual([index, 400, 0]);
      expect(successLow).toBeLessThan(chance);
      expect(successHigh).toBeGreaterThan(chance);
    }
    // what was lost before the turn stays lost: −¼ twice, then 1 or −¼
    expect(new Set(continued[2]?.outcomes.map(({ total }) => total))).toEqual(new Set([0.5, -0.75]));
    expect(new Set(continued[2]?.outcomes.map((outcome) => outcome.turns))).toEqual(new Set([3]));
  });

  it('samples after the very tokens that were recorded, and the same way twice', async () => {
    const prompts: number[][] = [];
    const engine = tinyEngine();
    const watched: PolicyEngine = {
      ...engine,
      policy: {
        ...engine.policy,
        sample: async (request, ...rest) => {
          prompts.push([...request.tokens]);
          return engine.policy.sample(request, ...rest);
        },
      },
    };
    const first = await go({ engine: watched, turns: [2], episodes: 3 });
    const before = [...wrong.tokens.slice(0, wrong.turns[2]?.sampled.start)];
    expect(prompts).toEqual([before, before, before]);
    expect(await go({ turns: [2], episodes: 3 })).toEqual(first);
  });

  it('counts continuations that fail apart, and refuses to measure where all do', async () => {
    const failing = (fails: (call: number) => boolean) =>
      tinyEngine({
        onSample: (call) => {
          if (fails(call)) throw new Error('out of order');
        },
      });
    const some = await go({ engine: failing((call) => call <= 3), turns: [2], episodes: 8 });
    expect(some).toMatchObject({ episodes: 5, failed: 3, continued: [{ turn: 2, episodes: 5, failed: 3 }] });
    await expect(go({ engine: failing(() => true), turns: [1], episodes: 4 })).rejects.toMatchObject({
      code: 'rollout.too_many_errors',
      message: expect.stringMatching(/all 4 continuations failed, the first with ".*out of order"/),
    });
  });

  it('refuses an environment that does not come to the recorded states, before it samples', async () => {
    const changing = defineEnvironment({
      id: 'guess',
      summary: 'Another state each time.',
      instruction: () => 'Guess.',
      limits: () => ({ maxTurns: 3, maxActions: 3, maxActionsPerTurn: 1 }),
      create: () => ({
        reset: () => ({ text: '?', actions: ['Left', 'Right'], stateKey: 'another' }),
        step: () => {
          throw new Error('never taken');
        },
        render: () => '',
      }),
    });
    const engine = tinyEngine({
      onSample: () => {
        throw new Error('never asked');
      },
    });
    await expect(
      go({ engine, registry: withEnvironment({ create: changing.create as never }) }),
    ).rejects.toMatchObject({
      code: 'rollout.not_repeatable',
      message: expect.stringContaining('up to turn 1: another state came up at turn 1; its environment'),
    });
    await expect(
      go({ registry: withEnvironment({ agent: () => ({}) as never }), turns: [1] }),
    ).rejects.toMatchObject({
      code: 'rollout.not_repeatable',
      message: expect.stringContaining('a program played it'),
    });
  });

  it.each([
    [{ turns: [3] }, 'it has no turn 3; its turns are 0..2'],
    [{ turns: [-1] }, 'it has no turn -1'],
    [{ turns: [] }, 'it has no turn;'],
    [{ turns: [0, 0.5] }, 'it has no turn 0.5'],
  ])('refuses %j', async (change, message) => {
    await expect(go(change)).rejects.toMatchObject({
      code: 'contracts.invalid_value',
      message: expect.stringContaining(message),
    });
  });

  it('refuses a trajectory of a tag that the configuration does not have', async () => {
    await expect(go({ trajectory: { ...wrong, environmentTag: 'lake' } })).rejects.toMatchObject({
      message: expect.stringContaining('no environment with tag lake, level none'),
    });
  });
});
