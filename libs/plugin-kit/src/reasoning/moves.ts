/**
 * @file Moves that reasoning names as its own plan: behind a verb of acting ("I go down twice"), or in a list of nothing
 * else ("Down, Right"). Directions in claims ("the goal is down"), denied moves, hypotheses and what others say are no plan.
 */
import { type Clause, isDenied, joins, numberOf, readClauses, type Token, wordSet } from './clauses.js';
import { commandAt, type Commands, reach, sortCommands, thingsOf } from './commands.js';
import type { TextRange } from './think-block.js';

export interface NamedMove extends TextRange {
  /** the move, in lower case */
  readonly move: string;
}

/** A move and words that name it. */
interface KnownMove {
  readonly words: readonly string[];
  readonly move: string;
}

/** What may be named, and what has been named so far. */
interface Vocabulary {
  readonly known: readonly KnownMove[];
  readonly commands: Commands;
  readonly things: readonly string[];
}

const verbs = wordSet(
  'go move step walk head push slide click search try take choose pick press answer play moving going pushing stepping walking heading turn run do plan select pull trying choosing picking taking then first finally',
);
const copulas = wordSet("is are am be lies sits it's that's there's lie sit being means see");
const links = wordSet(
  'and then , - > → || | 1 2 3 4 5 6 7 8 9 ( ) [ ] first next finally once twice times steps step again so : plan moves answer action actions i',
);
const refused = wordSet('avoid avoiding instead than');
const gerunds = wordSet('moving going pushing stepping walking heading taking choosing');
const results = wordSet('is puts brings gets makes leads lets would keeps');
const synonyms: ReadonlyMap<string, string> = new Map(
  Object.entries({
    north: 'up',
    south: 'down',
    west: 'left',
    east: 'right',
    upwards: 'up',
    downwards: 'down',
    upward: 'up',
    downward: 'down',
    leftwards: 'left',
    rightwards: 'right',
  }),
);
const directions = wordSet('up down left right');
/** Names of what is chosen: "the best move is up". */
const choices = wordSet('move step action choice');
/** A direction before one of these says which: "along the left side". */
const sides = wordSet('side corner edge half part border');
/** Verbs that mean something else with "up". */
const idioms = wordSet('end ends ending ended give look');
const postponed = wordSet('later eventually');
const maxRepeats = 10;

/** What a move is compared by: its words, without signs. */
const nameOfMove = (words: readonly string[]): string =>
  words.filter((word) => /[a-z0-9]/.test(word)).join(' ');

/** A move that was made, in the form of {@link NamedMove}. */
export const plainMove = (text: string): string =>
  nameOfMove(readClauses(text).flatMap(({ tokens }) => tokens.map((token) => token.text)));

/** The move at a token: one of the known ones, of one or more words, or a direction. */
function moveAt(
  tokens: readonly Token[],
  at: number,
  { known, commands }: Pick<Vocabulary, 'known' | 'commands'>,
): { move: string; next: number } | undefined {
  for (const { words, move } of known) {
    const next = endOfWords(tokens, at, words);
    if (next !== undefined) return { move, next };
  }
  const text = tokens[at]?.text ?? '';
  const direction = synonyms.get(text) ?? text;
  // where one acts by commands, "heat it up" names no direction
  return commands.size === 0 && directions.has(direction) ? { move: direction, next: at + 1 } : undefined;
}

/** Where words end that stand at a token, with articles between them: "take the mug 1" for `take mug 1`. */
function endOfWords(tokens: readonly Token[], at: number, words: readonly string[]): number | undefined {
  let next = at;
  for (const [index, word] of words.entries()) {
    if (index > 0 && word !== 'the' && tokens[next]?.text === 'the') next++;
    if (tokens[next]?.text !== word) return undefined;
    next++;
  }
  return next;
}

/** How often: "2 down", "two steps down", "down twice", "down 3 times". */
function repeatsAt(tokens: readonly Token[], at: number, next: number): number {
  const before = [
    tokens[at - 1],
    ['step', 'steps', 'cells', 'squares', 'times'].includes(tokens[at - 1]?.text ?? '')
      ? tokens[at - 2]
      : undefined,
  ];
  const after = tokens[next]?.text ?? '';
  const isTimed = ['times', 'steps', 'cells', 'squares', 'step', 'time'].includes(
    tokens[next + 1]?.text ?? '',
  );
  const count =
    after === 'twice'
      ? 2
      : isTimed
        ? numberOf(tokens[next])
        : before.map(numberOf).find((one) => one !== undefined);
  return Math.max(1, Math.min(maxRepeats, Math.round(count ?? 1)));
}

/** Whether nothing but moves and links stands in a clause. */
function isList(tokens: readonly Token[], vocabulary: Vocabulary): boolean {
  for (let at = 0; at < tokens.length;) {
    const found = moveAt(tokens, at, vocabulary);
    if (found !== undefined) at = found.next;
    else if (links.has(tokens[at]?.text ?? '')) at++;
    else return false;
  }
  return true;
}

function movesOfClause({ tokens }: Clause, vocabulary: Vocabulary): NamedMove[] {
  const { commands, things } = vocabulary;
  const moves: NamedMove[] = [];
  let isPlan = isList(tokens, vocabulary);
  const isOnlyList = isPlan;
  // "moving right is dangerous" speaks of a move
  const subject = tokens.find(({ text }) => !joins.has(text));
  const isTopic = gerunds.has(subject?.text ?? '') && tokens.some(({ text }) => results.has(text));
  for (let at = 0; at < tokens.length; at++) {
    const text = tokens[at]?.text ?? '';
    if (!isOnlyList && verbs.has(text)) isPlan = true;
    if (!isOnlyList && copulas.has(text))
      isPlan = text === 'is' && choices.has(tokens[at - 1]?.text ?? '') && tokens[at - 2]?.text !== 'this';
    const command = commandAt(tokens, at, commands, things);
    const found = command ?? moveAt(tokens, at, vocabulary);
    if (found === undefined) continue;
    const isRefused = isDenied(tokens, 0, at) || tokens.slice(0, at).some((token) => refused.has(token.text));
    const place = { start: tokens[at]?.start ?? 0, end: tokens[found.next - 1]?.end ?? 0 };
    // "down and then right of the box": a direction from a thing is none
    const [before, after] = [tokens[at - 1]?.text ?? '', tokens[found.next]?.text ?? ''];
    const isPlace =
      after === 'of' ||
      sides.has(after) ||
      (before === 'my' && !isOnlyList) ||
      (found.move === 'up' && idioms.has(before));
    const isAction = found.next - at > 1;
    const isLater = tokens.slice(0, at).some((token) => postponed.has(token.text));
    if ((isPlan || isAction) && !isTopic && !isRefused && !isPlace && !isLater) {
      const count = command === undefined ? repeatsAt(tokens, at, found.next) : 1;
      for (let index = 0; index < count; index++) moves.push({ ...place, move: found.move });
    }
    at = found.next - 1;
  }
  return moves;
}

/**
 * Reads the moves that a text plans, in order, with their places behind `offset`.
 *
 * @param known texts of moves beside up, down, left and right, such as names of actions
 */
export function readMoves(text: string, offset: number, known: readonly string[] = []): NamedMove[] {
  const names = known
    .map((name) => readClauses(name).flatMap(({ tokens }) => tokens.map((token) => token.text)))
    // `click[buy now]` is also named as "click buy now"
    .flatMap((words) => [words, words.filter((word) => /[a-z0-9]/.test(word))])
    .filter((words) => words.length > 0)
    .map((words): KnownMove => ({ words, move: nameOfMove(words) }));
  const { commands, others } = sortCommands(names);
  const all = others.sort((a, b) => b.words.length - a.words.length);
  let things: readonly string[] = [];
  let isOught = false;
  return readClauses(text, offset).flatMap((clause) => {
    const { mood, tokens } = clause;
    isOught = isOughtOnly(mood, tokens) || (isOught && mood === 'hypothetical' && tokens[0]?.text === 'then');
    const isMeant = mood === 'now' || mood === 'future' || isOught;
    const found = isMeant ? movesOfClause(clause, { known: all, commands, things }) : [];
    things = [...things, ...thingsOf(tokens)].slice(-reach);
    return found;
  });
}

/** "I should go down": as a plan it counts, though as a claim it does not. */
function isOughtOnly(mood: Clause['mood'], tokens: readonly Token[]): boolean {
  const doubts = wordSet(
    'if would could might may suppose unless imagine maybe perhaps probably possibly whether otherwise',
  );
  return (
    mood === 'hypothetical' &&
    tokens.some(({ text }) => text === 'should' || text === 'must') &&
    !tokens.some(({ text }) => doubts.has(text))
  );
}
