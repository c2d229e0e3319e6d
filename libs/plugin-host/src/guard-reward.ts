/**
 * @file Rewards and models behind the border. A trajectory is lent, never given away: whoever scores it next sees the same.
 */
import type { ModelDefinition, RewardDefinition, RewardResult } from '@espalier/plugin-kit';
import { findingOfReward, guard } from './boundary.js';
import { freezeDeep, lend } from './lend.js';

/** Wraps a reward: one finite value per turn, finite metrics. */
export function guardReward<Params>(definition: RewardDefinition<Params>): RewardDefinition<Params> {
  return {
    ...definition,
    score: (trajectory, params) => {
      const { given, findChange } = lend(trajectory);
      return guard(
        definition,
        'score',
        () => definition.score(given, freezeDeep(params)),
        (result: RewardResult) => findChange() ?? checkScore(result, trajectory.turns.length),
        () => ({ turns: trajectory.turns.length, trajectory: trajectory.id, seed: trajectory.seeds.state }),
      );
    },
  };
}

function checkScore({ perTurn, metrics }: RewardResult, turns: number): string | undefined {
  if (!Array.isArray(perTurn) || perTurn.length !== turns) {
    return `returned ${Array.isArray(perTurn) ? perTurn.length : 'no'} values; expected one per turn, ${turns}`;
  }
  for (const [turn, value] of perTurn.entries()) {
    const [found, ...expected] = findingOfReward(value)?.split('; ') ?? [];
    if (found !== undefined) return `returned ${found} for turn ${turn}; ${expected.join('; ')}`;
  }
  for (const [name, value] of Object.entries(metrics ?? {})) {
    if (!Number.isFinite(value)) return `returned metric "${name}" ${value}; expected a finite number`;
  }
  return undefined;
}

/** Wraps a model: its folder is a text. */
export function guardModel<Params>(definition: ModelDefinition<Params>): ModelDefinition<Params> {
  return {
    ...definition,
    folder: (params) =>
      guard(
        definition,
        'folder',
        () => definition.folder(params),
        (folder) =>
          typeof folder === 'string' ? undefined : `returned ${typeof folder}; expected an absolute path`,
      ),
  };
}
