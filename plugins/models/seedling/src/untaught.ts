/** @file What the seedling was taught (config/warm-start/seedling.yaml), and what a run asks for beyond it. */
import type { ModelDefinition } from '@espalier/plugin-kit';

type ModelTask = Parameters<NonNullable<ModelDefinition<unknown>['warnings']>>[0];

/** Options that the model sees, by environment; it was taught these values only. */
const taught: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  bandit: {},
  'frozen-lake': { size: 4, observation: 'grid' },
  sokoban: {
    dims: [6, 6],
    boxes: 1,
    observation: 'grid',
    symbols: {
      wall: '#',
      floor: '_',
      target: 'O',
      boxOnTarget: '√',
      box: 'X',
      player: 'P',
      playerOnTarget: 'S',
    },
  },
};

const maxActions = 2;

/** Lists what a run asks for that the seedling was never shown. */
export function listUntaught({ environment: { use, ...options }, rollout }: ModelTask): string[] {
  const known = taught[use];
  const warnings = Object.entries(known ?? {})
    .filter(([name, value]) => isDifferent(options[name], value))
    .map(
      ([name, value]) =>
        `environment.${name}: seedling was taught ${use} with ${JSON.stringify(value)} only; success starts near zero`,
    );
  if (known === undefined)
    warnings.push(`environment.use: seedling was not taught ${use}; success starts near zero`);
  const { preset, thinking, thinkStyle = 'free' } = rollout.prompt;
  if (thinking !== 'required')
    warnings.push(
      'rollout.prompt.thinking: seedling was taught to reason before every answer; success starts near zero without',
    );
  if (thinkStyle !== 'free')
    warnings.push(
      `rollout.prompt.thinkStyle: seedling was taught free thoughts only; replies with the parts of ${thinkStyle} start near zero`,
    );
  if (preset !== 'seedling')
    warnings.push(
      `rollout.prompt.preset: seedling was taught the prompt "seedling" only; success starts near zero with "${preset}"`,
    );
  if (rollout.maxActionsPerTurn > maxActions)
    warnings.push(
      `rollout.maxActionsPerTurn: seedling was taught at most ${maxActions} actions per reply; it hardly uses more`,
    );
  return warnings;
}

/** An option that the environment does not have (any more) is no difference. */
const isDifferent = (value: unknown, expected: unknown): boolean =>
  value !== undefined && canonical(value) !== canonical(expected);

/** JSON with sorted keys. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
