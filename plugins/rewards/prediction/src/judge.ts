/**
 * @file The predictions of a turn and whether they came true: claims about the next state, and about how the episode ends.
 * What held before the turn's actions is no news, so it earns nothing when it stays so.
 */
import type { Turn, UnscoredTrajectory } from '@espalier/plugin-kit';
import {
  type Clause,
  judgeClaim,
  readClaims,
  readClauses,
  readThinkBlock,
  type TextRange,
} from '@espalier/plugin-kit/reasoning';

export interface JudgedPrediction {
  readonly piece: TextRange;
  readonly key: string;
  readonly isRight: boolean;
  /**
   * of a right one: the share of comparable states in which it would be wrong; 0 where it held before, and for a failure,
   * which a policy can bring about
   */
  readonly weight: number;
}

/** Judges what a turn predicts: all of its part `<prediction>`, or else what the block says in the future tense. */
export function judgePredictions(trajectory: UnscoredTrajectory, turn: Turn): JudgedPrediction[] {
  const block = readThinkBlock(turn);
  if (block === undefined) return [];
  const part = block.parts.prediction;
  const { start, end } = part ?? block;
  const text = turn.response.slice(start, end);
  const isMeant = ({ mood }: Pick<Clause, 'mood'>): boolean =>
    mood === 'future' || (part !== undefined && mood === 'now');
  const found = [
    ...judgeStates(trajectory, turn, readClaims(text, start, turn.facts).filter(isMeant)),
    ...judgeEnding(trajectory, turn, readClauses(text, start).filter(isMeant)),
  ];
  // the first of each
  return [...new Map(found.toReversed().map((one) => [one.key, one])).values()].reverse();
}

function judgeStates(
  { turns }: UnscoredTrajectory,
  turn: Turn,
  claims: ReturnType<typeof readClaims>,
): JudgedPrediction[] {
  const next = turns[turn.index + 1];
  if (next === undefined) return [];
  return claims.flatMap((claim) => {
    const { holds, weight } = judgeClaim(claim, next.facts);
    if (holds === undefined) return [];
    const isNews = judgeClaim(claim, turn.facts).holds === false;
    return [{ piece: claim, key: claim.key, isRight: holds, weight: holds && isNews ? weight : 0 }];
  });
}

const verbs = new Set([
  'reach',
  'win',
  'solve',
  'succeed',
  'finish',
  'solves',
  'wins',
  'reaches',
  'solved',
  'complete',
  'completes',
  'won',
]);
const falls = new Set(['fall', 'falls', 'lose', 'die', 'drown']);
const denials = new Set([
  'not',
  "won't",
  'never',
  "don't",
  'no',
  'cannot',
  "can't",
  'avoid',
  'closer',
  'toward',
  'towards',
  'eventually',
  'later',
  'soon',
]);

/** "I will reach the goal", "this solves it", "I will fall into the hole". */
function judgeEnding(
  { turns, success, stopReason }: UnscoredTrajectory,
  turn: Turn,
  clauses: readonly Clause[],
): JudgedPrediction[] {
  const isLast = turn.index === turns.length - 1;
  return clauses.flatMap(({ tokens, start, end }) => {
    const words = tokens.map(({ text }) => text);
    if (words.some((word) => denials.has(word))) return [];
    const isWin = words.some((word) => verbs.has(word)) && !words.some((word) => falls.has(word));
    const isFall = words.some((word) => falls.has(word));
    if (!isWin && !isFall) return [];
    const isRight = isLast && (isWin ? success : stopReason === 'failure');
    const key = isWin ? 'the episode succeeds now' : 'the episode fails now';
    return [{ piece: { start, end }, key, isRight, weight: isRight && isWin ? 1 : 0 }];
  });
}
