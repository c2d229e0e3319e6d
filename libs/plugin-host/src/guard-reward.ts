/**
 * @file Guards rewards. Each reward gets a protected trajectory, so the next one scores the same data.
 */
import type { RewardDefinition, RewardResult } from '@espalier/plugin-kit';
import { checkRewardValue, guard } from './boundary.js';
import { freezeDeep, protectInput } from './protect-input.js';

/** Guards a reward: one finite value per turn, finite metrics. */
export function guardReward<Params>(definition: RewardDefinition<Params>): RewardDefinition<Params> {
  return {
    ...definition,
    score: (trajectory, params) => {
      const { input, findMutation } = protectInput(trajectory);
      return guard(
        definition,
        'score',
        () => definition.score(input, freezeDeep(params)),
        (result: RewardResult) => findMutation() ?? checkScore(result, trajectory.turns.length),
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
    const [found, ...expected] = checkRewardValue(value)?.split('; ') ?? [];
    if (found !== undefined) return `returned ${found} for turn ${turn}; ${expected.join('; ')}`;
  }
  for (const [name, value] of Object.entries(metrics ?? {})) {
    if (!Number.isFinite(value)) return `returned metric "${name}" ${value}; expected a finite number`;
  }
  return undefined;
}
