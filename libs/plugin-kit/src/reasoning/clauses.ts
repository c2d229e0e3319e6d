/**
 * @file Cuts reasoning into clauses and says how each is meant: a statement about now, about what will be, about what
 * was, or none at all (a hypothesis, a question, what somebody else said). Works on plain English by word lists.
 */
import type { TextRange } from './think-block.js';

/** A word, number or sign in lower case. */
export interface Token extends TextRange {
  readonly text: string;
}

/** How a clause is meant. */
export type Mood = 'now' | 'future' | 'past' | 'hypothetical' | 'reported' | 'question';

export interface Clause extends TextRange {
  readonly mood: Mood;
  readonly tokens: readonly Token[];
}

/** A set of words, written with spaces between them. */
export const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '));

const hypothetical = wordSet(
  'if would could might may suppose supposing unless imagine maybe perhaps probably possibly whether otherwise assuming hypothetically should must may',
);
const reported = wordSet(
  'says said claims claimed claim told tells thinks believes believed wrote writes according heard supposedly opponent she he they',
);
const future = wordSet(
  "will won't i'll it'll we'll you'll that'll there'll going gonna after afterwards expect predict soon",
);
const past = wordSet('was were had did saw took previously earlier before last ago');
/** Words that a clause begins with. */
export const joins = wordSet(
  'but so because since while whereas therefore however though although then which hence thus instead',
);
const contrasts = wordSet('but however though although');

const subjects = wordSet("i i'm i'll we you it");

const wordPattern = /\d+(?:\.\d+)?|[a-z]+(?:['’][a-z]+)?|[^\sa-z0-9]/g;

/** Lower case without changing a length. */
const lower = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

function tokensOfText(text: string, offset: number): Token[] {
  const blank = lower(text).replace(/<\/?[a-z]{1,20}>/g, (tag) => '\n'.repeat(tag.length));
  const cut = Array.from(blank.matchAll(wordPattern), ({ 0: found, index }) => ({
    text: found.replace('’', "'"),
    start: offset + index,
    end: offset + index + found.length,
  }));
  return cut;
}

/** Cuts a text, whose first character is at `offset`, into clauses; time is linear in its length. */
export function readClauses(text: string, offset = 0): Clause[] {
  const clauses: Clause[] = [];
  for (const { start, end, isQuestion } of sentencesOf(text)) {
    const tokens = tokensOfText(text.slice(start, end), offset + start);
    const isQuoted = /["“”]/.test(text.slice(start, end));
    let isReported = isQuoted || tokens.some(({ text: word }) => reported.has(word));
    let isIf = false;
    let before: Mood = 'now';
    for (const piece of piecesOf(tokens)) {
      const [first] = piece;
      const last = piece.at(-1);
      if (first === undefined || last === undefined) continue;
      const words = piece.map(({ text: word }) => word);
      // "once the box is there" is not so yet
      const isOnce = words[0] === 'once' && !words.some((word) => future.has(word));
      if (isOnce || words.some((word) => word === 'if' || word === 'suppose' || word === 'unless'))
        isIf = true;
      // "he says it is open, but it is closed": the second half is the writer's own
      const isOwn = contrasts.has(first.text) && !words.some((word) => reported.has(word));
      isReported &&= !isOwn || isQuoted;
      const mood: Mood = isQuestion
        ? 'question'
        : isReported
          ? 'reported'
          : isIf ||
              words.some((word) => hypothetical.has(word)) ||
              (before === 'hypothetical' && (words[0] === 'then' || words[0] === 'which'))
            ? 'hypothetical'
            : words.some((word) => past.has(word))
              ? 'past'
              : words.some(
                    (word, index) => future.has(word) || (word === 'next' && words[index + 1] !== 'to'),
                  )
                ? 'future'
                : 'now';
      before = mood;
      clauses.push({ start: first.start, end: last.end, mood, tokens: piece });
    }
  }
  return clauses;
}

interface Sentence extends TextRange {
  readonly isQuestion: boolean;
}

/** A full stop ends a sentence unless a digit follows. */
function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  for (const { 0: sign, index } of text.matchAll(/[;!?\n]|\.(?!\d)|$/g)) {
    sentences.push({ start, end: index, isQuestion: sign === '?' });
    start = index + sign.length;
  }
  return sentences;
}

/** Words without a stop are cut, so that time stays linear in the text. */
const longestClause = 120;

function piecesOf(tokens: readonly Token[]): Token[][] {
  const pieces: Token[][] = [[]];
  for (const [index, token] of tokens.entries()) {
    // what follows `if` stays with it; "before I look" is about later, "before me" a place
    const isJoin =
      joins.has(token.text) ||
      token.text === 'if' ||
      (token.text === 'and' && tokens[index + 1]?.text === 'now') ||
      (token.text === 'before' && subjects.has(tokens[index + 1]?.text ?? ''));
    const isLong = (pieces.at(-1)?.length ?? 0) >= longestClause;
    if (isJoin || isLong) pieces.push([]);
    pieces.at(-1)?.push(token);
  }
  return pieces;
}

const numbers = 'zero one two three four five six seven eight nine ten'.split(' ');

/** The number that a token is, in digits or as a word up to ten; undefined: none. */
export function numberOf(token: Token | undefined): number | undefined {
  if (token === undefined) return undefined;
  if (/^\d/.test(token.text)) return Number(token.text);
  const index = numbers.indexOf(token.text);
  return index < 0 ? undefined : index;
}

const negations = wordSet(
  "no not never neither nor without none isn't aren't don't doesn't didn't can't cannot won't wasn't shouldn't mustn't wouldn't nothing",
);

/** Whether the words of `[from, to)` deny what follows: an odd number of negations. */
export function isDenied(tokens: readonly Token[], from: number, to: number): boolean {
  const denies = ({ text }: Token, index: number): boolean =>
    // "No, it is" denies what somebody said before
    negations.has(text) && !(text === 'no' && tokens[from + index + 1]?.text === ',');
  return tokens.slice(from, to).filter(denies).length % 2 === 1;
}
