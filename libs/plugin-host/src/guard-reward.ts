/**
 * @file Guards rewards. Each reward gets a protected trajectory, so the next one scores the same data.
 */
import type { Evidence, RewardDefinition, RewardResult, UnscoredTrajectory } from '@espalier/plugin-kit';
import { checkRewardValue, guard } from './boundary.js';
import { freezeDeep, protectInput } from './protect-input.js';

/** Guards a reward: one finite value per turn, finite metrics, evidence about sampled tokens. */
export function guardReward<Params>(definition: RewardDefinition<Params>): RewardDefinition<Params> {
  return {
    ...definition,
    score: (trajectory, params, signal) => {
      const { input, findMutation } = protectInput(trajectory);
      return guard(
        definition,
        'score',
        () => definition.score(input, freezeDeep(params), signal),
        (result: RewardResult) => findMutation() ?? checkScore(result, trajectory),
        () => ({ turns: trajectory.turns.length, trajectory: trajectory.id, seed: trajectory.seeds.state }),
      );
    },
  };
}

function checkScore(
  { perTurn, metrics, evidence = [] }: RewardResult,
  trajectory: UnscoredTrajectory,
): string | undefined {
  const turns = trajectory.turns.length;
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
  if (!Array.isArray(evidence) || evidence.length > trajectory.tokens.length)
    return `returned ${Array.isArray(evidence) ? evidence.length : 'no list of'} pieces of evidence for ${trajectory.tokens.length} tokens; expected a list with at most one per token`;
  return evidence.map((one) => checkEvidence(one, trajectory)).find((finding) => finding !== undefined);
}

const maxNoteLength = 200;

function checkEvidence(
  { turn, start, end, value, note }: Evidence,
  { turns }: UnscoredTrajectory,
): string | undefined {
  const sampled = turns[turn]?.sampled;
  if (sampled === undefined) return `returned evidence for turn ${turn}; expected one of ${turns.length}`;
  const isRange = Number.isInteger(start) && Number.isInteger(end) && start < end;
  if (!isRange || start < sampled.start || end > sampled.end)
    return `returned evidence for tokens ${start} to ${end} of turn ${turn}; expected some of its sampled tokens, ${sampled.start} to ${sampled.end}`;
  const [found, ...expected] = checkRewardValue(value)?.split('; ') ?? [];
  if (found !== undefined) return `returned evidence ${found}; ${expected.join('; ')}`;
  return typeof note === 'string' && note.length <= maxNoteLength
    ? undefined
    : `returned evidence with a note of ${typeof note === 'string' ? `${note.length} characters` : typeof note}; expected a text of at most ${maxNoteLength} characters`;
}
