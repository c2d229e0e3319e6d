import { applyOverrides, parseConfig, resolveRunSpec } from '@espalier/config';
import { discoverPlugins, type PluginRegistry } from '@espalier/plugin-host';
import { beforeAll, describe, expect, it } from 'vitest';

let registry: PluginRegistry;
beforeAll(async () => void (registry = await discoverPlugins({ root: '.' })), 60_000);

const resolve = (environment: string, sets: readonly string[] = []) =>
  resolveRunSpec(
    applyOverrides(parseConfig(`environment: ${environment}\nalgorithm: { use: grpo }\n`, 'run.yaml'), [
      ...sets,
    ]),
    registry,
  );

const arms = { lowScore: 0.1, highMissScore: 0, highHitScore: 1, hitProbability: 0.25, reversed: false };
const room = { dims: [6, 6], boxes: 1, searchDepth: 300, maxSteps: 100 };
const countdown = {
  variant: 'answer',
  count: [3, 4],
  operators: 'signs',
  numbersUsed: 'all',
  arithmetic: 'python',
  partialScore: 0.1,
};
const sudoku = { size: 9, empty: 0.4, puzzles: 'any', correct: 1, fitting: 0.5, refused: -0.1, solved: 10 };

type Values = Readonly<Record<string, unknown>>;
/** Options, then turns, actions, and actions of a turn, as the code of both versions has them. */
const published: readonly (readonly [use: string, preset: string, options: Values, limits: number[]])[] = [
  ['bandit', 'r1', { ...arms, arms: 'phoenix-dragon' }, [1, 1, 1]],
  ['bandit', 'r2', { ...arms, arms: 'professions' }, [1, 1, 1]],
  ['frozen-lake', 'r1', { size: 4, p: 0.8, successRate: 1 / 3, observation: 'grid' }, [5, 10, 5]],
  ['frozen-lake', 'r2', { size: 4, p: 0.9, successRate: 0.8, observation: 'grid' }, [5, 10, 2]],
  ['sokoban', 'r1', { ...room, observation: 'grid' }, [5, 10, 5]],
  ['sokoban', 'r2', { ...room, observation: 'grid_coord' }, [5, 10, 2]],
  ['countdown', 'r1', countdown, [1, 1, 1]],
  ['countdown', 'r2', countdown, [1, 1, 1]],
  ['math-word-problems', 'r1', { matching: 'text' }, [5, 1, 1]],
  ['math-word-problems', 'r2', { matching: 'text' }, [5, 1, 1]],
  ['sudoku', 'r2', { ...sudoku, pays: 'every' }, [24, 48, 2]], // limits of ours
  [
    'game-2048',
    'r2',
    { size: 4, goal: 2048, ends: 'stuck', twoProbability: 0.9, reward: 'log' },
    [350, 700, 2],
  ],
  ['rubik', 'r2', { scramble: 1, distance: 'random' }, [10, 20, 2]],
  ['search-qa', 'r2', { partialCredit: 0.3 }, [10, 10, 2]],
  ['household', 'r1', { version: 'r1', commands: 'hidden', maxSteps: 50 }, [50, 50, 5]],
  ['household', 'r2', { version: 'r2', commands: 'shown', maxSteps: 50 }, [50, 50, 2]],
  ['webshop', 'r1', { version: 'r1', reward: 'fractional' }, [9, 9, 1]],
  ['webshop', 'r2', { version: 'r2', reward: 'binary' }, [9, 9, 1]],
];

describe('presets of environments', () => {
  it.each(published)(
    '%s %s has the values of RAGEN, and plan names their source',
    (use, preset, options, limits) => {
      const { spec, sources } = resolve(`{ use: ${use}, preset: ${preset} }`);
      expect(spec.environment).toMatchObject(options);
      expect(spec.environment).not.toHaveProperty('preset');
      const { maxTurns, maxActions, maxActionsPerTurn } = spec.rollout;
      expect([maxTurns, maxActions, maxActionsPerTurn]).toEqual(limits);
      for (const name of Object.keys(options))
        expect(sources.get(`environment.${name}`), name).toBe('preset');
    },
  );

  it('are all pinned here', () => {
    const all = registry.list().flatMap((plugin) => {
      const { presets = {} } = plugin as { presets?: Values };
      return Object.keys(presets).map((name) => `${plugin.id} ${name}`);
    });
    expect(all.sort()).toEqual(published.map(([use, preset]) => `${use} ${preset}`).sort());
  });

  it('give way to options and limits that are written', () => {
    const { spec, sources } = resolve('{ use: frozen-lake, preset: r1, p: 0.7 }', [
      'environment.size=5',
      'rollout.maxActionsPerTurn=3',
    ]);
    expect(spec.environment).toMatchObject({ p: 0.7, size: 5, successRate: 1 / 3 });
    expect(spec.rollout.maxActionsPerTurn).toBe(3);
    expect(['p', 'size', 'successRate'].map((name) => sources.get(`environment.${name}`))).toEqual([
      'file',
      '--set',
      'preset',
    ]);
    expect(sources.get('rollout.maxActionsPerTurn')).toBe('--set');
    expect(sources.get('rollout.maxTurns')).toBe('plugin default');
  });

  it('give the same run as their values written out', () => {
    const { hash, spec } = resolve('{ use: sokoban, preset: r2 }');
    expect(resolveRunSpec(parseConfig(JSON.stringify(spec), 'spec.yaml'), registry).hash).toBe(hash);
  });

  it.each([
    ['{ use: sudoku, preset: r1 }', 'sudoku has no preset "r1"; did you mean r2?'],
    ['{ use: bandit, preset: ragen }', 'bandit has no preset "ragen"; bandit has r1, r2'],
    ['{ use: bandit, presets: r1 }', 'did you mean preset?'],
    ['{ use: retail, preset: r1 }', 'preset'],
  ])('%s is refused with what there is', (environment, message) => {
    expect(() => resolve(environment)).toThrow(message);
  });
});
