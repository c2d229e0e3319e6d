import { defineReward, type Evidence, type Turn, type UnscoredTrajectory } from '@espalier/plugin-kit';
import {
  type NamedMove,
  plainMove,
  readMoves,
  readThinkBlock,
  tokensOf,
} from '@espalier/plugin-kit/reasoning';
import { z } from 'zod';
import { comparePlan } from './compare.js';

/** Texts that may name a move: actions of the episode, and arms where the facts have some. */
function knownMoves({ turns }: Pick<UnscoredTrajectory, 'turns'>): string[] {
  const made = turns.flatMap(({ actions, parsedActions }) => [
    ...actions.map(({ text }) => text),
    ...parsedActions,
  ]);
  const arms = turns.flatMap(({ facts }) => (Array.isArray(facts['arms']) ? facts['arms'].map(String) : []));
  return [...new Set([...made, ...arms].map((text) => text.toLowerCase()))].filter(
    (text) => text.length <= 200,
  );
}

/** The moves a block plans: of its reasoning part where there is one. */
function plannedMoves(turn: Turn, known: readonly string[]): NamedMove[] {
  const block = readThinkBlock(turn);
  if (block === undefined) return [];
  const { start, end } = block.parts.reasoning ?? block;
  return readMoves(turn.response.slice(start, end), start, known);
}

const words = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu)
    ?.join(' ') ?? '';

/** Thoughts that stand in two different states say nothing about either. */
function sameEverywhere(turns: readonly Turn[]): Set<string> {
  const states = new Map<string, Set<string>>();
  for (const { think, stateKey } of turns) {
    const text = words(think);
    states.set(text, (states.get(text) ?? new Set()).add(stateKey));
  }
  return new Set([...states].filter(([, keys]) => keys.size > 1).map(([text]) => text));
}

export default defineReward({
  id: 'plan-consistency',
  summary:
    'Pays up to 1 where the moves planned in the reasoning are the moves made; naming more than was made pays nothing.',
  metrics: {
    kept: {
      unit: 'probability',
      formula:
        'different moves planned that were made in the turn / different moves planned, over all turns; 0 without plans',
    },
    covered: {
      unit: 'probability',
      formula: 'moves made that the plan names in order / moves made, over all turns; 0 without moves',
    },
    planned: { unit: '1', formula: 'mean over turns of the moves planned' },
  },
  params: z.strictObject({}),
  score: (trajectory) => {
    const { turns } = trajectory;
    const known = knownMoves(trajectory);
    const constant = sameEverywhere(turns);
    const evidence: Evidence[] = [];
    const sums = { kept: 0, distinct: 0, matched: 0, made: 0, planned: 0 };
    const perTurn = turns.map((turn) => {
      const planned = plannedMoves(turn, known);
      const made = turn.actions.map(({ text }) => plainMove(text));
      const found = comparePlan(
        planned.map(({ move }) => move),
        made,
      );
      sums.kept += found.kept;
      sums.distinct += found.distinct;
      sums.matched += found.matched;
      sums.made += made.length;
      sums.planned += planned.length;
      const isEmpty = found.value === 0 || constant.has(words(turn.think));
      if (isEmpty) return 0;
      const right = planned.filter(({ move }) => made.includes(move));
      const wrong = planned.filter(({ move }) => !made.includes(move));
      const parts = [
        ...right.map((one) => ({
          one,
          amount: found.gain / right.length,
          note: `planned and made: ${one.move}`,
        })),
        ...wrong.map((one) => ({
          one,
          amount: (found.value - found.gain) / wrong.length,
          note: `planned, not made: ${one.move}`,
        })),
      ];
      for (const { one, amount, note } of parts) {
        const tokens = tokensOf(trajectory, turn.index, one);
        if (tokens !== undefined && amount !== 0)
          evidence.push({
            turn: turn.index,
            ...tokens,
            value: amount / turns.length,
            note: note.slice(0, 200),
          });
      }
      return found.value / turns.length;
    });
    const share = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);
    return {
      perTurn,
      evidence: evidence.slice(0, trajectory.tokens.length),
      metrics: {
        kept: share(sums.kept, sums.distinct),
        covered: share(sums.matched, sums.made),
        planned: share(sums.planned, turns.length),
      },
    };
  },
});
