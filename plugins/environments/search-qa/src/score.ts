/** @file What an answer is worth: exact match and F1 by the rules of SQuAD, with HotpotQA's rule for yes and no. */

export interface AnswerScore {
  readonly isExact: boolean;
  /** of words, 0 to 1 */
  readonly f1: number;
}

/** ASCII punctuation, as Python's `string.punctuation`. */
const punctuation = /[!-/:-@[-`{-~]/g;
/** Answers of which no part counts. */
const closed = new Set(['yes', 'no', 'noanswer']);
/** Characters of an answer that are read. */
const maxAnswer = 10_000;

/** The words of an answer: lower case, without punctuation and without the articles a, an, the. */
export function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().replace(punctuation, '').split(/\s+/).filter(Boolean);
  const kept = words.filter((word) => word !== 'a' && word !== 'an' && word !== 'the');
  // an answer of articles only, such as the blood group A, keeps them: it would be equal to no answer
  return kept.length > 0 ? kept : words;
}

/** The best score of an answer among those that are right. */
export function scoreAnswer(answer: string, expected: readonly string[]): AnswerScore {
  const given = wordsOf(answer.slice(0, maxAnswer));
  let best: AnswerScore = { isExact: false, f1: 0 };
  for (const one of expected) {
    const wanted = wordsOf(one);
    const isExact = given.length > 0 && given.join(' ') === wanted.join(' ');
    const f1 = isExact ? 1 : overlap(given, wanted);
    if (f1 > best.f1 || isExact) best = { isExact: best.isExact || isExact, f1: Math.max(f1, best.f1) };
  }
  return best;
}

function overlap(given: readonly string[], wanted: readonly string[]): number {
  if (closed.has(given.join(' ')) || closed.has(wanted.join(' '))) return 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of given) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common++;
  }
  return common === 0 ? 0 : (2 * common) / (given.length + wanted.length);
}

/** RAGEN-2's reward: 1 for an exact match, else F1 from 0.3 upwards; nothing else where the least is 1. */
export function rewardOf({ isExact, f1 }: AnswerScore, least: number): number {
  return isExact ? 1 : least < 1 && f1 >= least ? f1 : 0;
}
