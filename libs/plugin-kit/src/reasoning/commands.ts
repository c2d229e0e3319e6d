/**
 * @file Commands about numbered things ("take mug 1 from cabinet 1"), as reasoning names them: with other verbs ("grab the
 * mug 1"), a pronoun ("open it"), the kind alone ("open the fridge") or without the place.
 */
import { type Token, wordSet } from './clauses.js';

/** A command that may be meant: `take mug 1 from cabinet 1` acts on a thing, and names a place where it has two names. */
interface Command {
  readonly move: string;
  readonly place?: string;
}

/** Commands by what is done and to what, by full name and by kind. */
export type Commands = ReadonlyMap<string, readonly Command[]>;

/** What a verb may do; a command of the first that is known is meant. */
const meanings: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    'go to': 'go walk head return get move proceed going walking heading returning moving',
    take: 'take grab get pick taking grabbing getting picking',
    put: 'put place drop move set putting placing dropping moving',
    open: 'open opening',
    close: 'close shut closing shutting',
    use: 'use turn switch toggle using turning switching toggling',
    clean: 'clean wash rinse cleaning washing rinsing',
    heat: 'heat warm heating warming',
    cool: 'cool chill cooling chilling',
    slice: 'slice cut slicing cutting',
    examine: 'examine inspect examining inspecting',
    visit: 'try check visit search trying checking visiting searching',
  }).reduce((all, [meaning, verbs]) => {
    for (const verb of verbs.split(' ')) all.set(verb, [...(all.get(verb) ?? []), meaning]);
    return all;
  }, new Map<string, string[]>()),
);
const determiners = wordSet('the my this that');
const articles = wordSet('the a an this that');
const pronouns = wordSet('it that this');
const particles = wordSet('up on off down');
/** Verbs that mean this only with a particle: "pick up", "turn on". */
const parted: ReadonlyMap<string, string> = new Map(
  Object.entries({
    pick: 'up',
    picking: 'up',
    turn: 'onoff',
    turning: 'onoff',
    switch: 'onoff',
    switching: 'onoff',
  }),
);
const prepositions = wordSet('in on into onto to with from inside at by using under out of off / there here');

const isWord = (token: Token | undefined): boolean => /^[a-z]+$/.test(token?.text ?? '');
const isNumber = (token: Token | undefined): boolean => /^\d+$/.test(token?.text ?? '');
const kindOf = (name: string): string => name.split(' ')[0] ?? '';

/** Sorts known moves into commands about numbered things and others. */
export function sortCommands<Move extends { readonly words: readonly string[]; readonly move: string }>(
  known: readonly Move[],
): { readonly commands: Commands; readonly others: Move[] } {
  const commands = new Map<string, Command[]>();
  const add = (key: string, command: Command): void => {
    const same = commands.get(key) ?? [];
    if (!same.some(({ move }) => move === command.move)) commands.set(key, [...same, command]);
  };
  const others = known.filter(({ words, move }) => {
    const [verb = '', ...rest] = words;
    const isGoing = rest[0] === 'to';
    const [kind = '', number = '', ...more] = isGoing ? rest.slice(1) : rest;
    if (!/^[a-z]+$/.test(verb + kind) || !/^\d+$/.test(number)) return true;
    const place = more.slice(-2).join(' ');
    const command: Command = { move, ...(/^[a-z]+ \d+$/.test(place) ? { place } : {}) };
    const does = verb === 'move' || verb === 'put' ? 'put' : isGoing ? `${verb} to` : verb;
    for (const name of [`${kind} ${number}`, kind]) {
      add(`${does} ${name}`, command);
      if (does === 'go to' || does === 'examine') add(`visit ${name}`, command);
    }
    return false;
  });
  return { commands, others };
}

/** A thing as it is named: `mug 1`, or `mug`. */
interface Named {
  readonly name: string;
  readonly next: number;
}

function namedAt(tokens: readonly Token[], at: number): Named | undefined {
  const from = determiners.has(tokens[at]?.text ?? '') ? at + 1 : at;
  const [word, number] = [tokens[from], tokens[from + 1]];
  if (word === undefined || !isWord(word)) return undefined;
  if (isNumber(number)) return { name: `${word.text} ${number!.text}`, next: from + 2 };
  // "the clean plate 2"
  const [noun, its] = [number, tokens[from + 2]];
  if (isWord(noun) && isNumber(its) && !prepositions.has(noun!.text))
    return { name: `${noun!.text} ${its!.text}`, next: from + 3 };
  return { name: word.text, next: from + 1 };
}

/** The things with numbers that a clause names. */
export const thingsOf = (tokens: readonly Token[]): string[] =>
  tokens.flatMap((token, at) =>
    token.text.length > 2 && isWord(token) && isNumber(tokens[at + 1])
      ? [`${token.text} ${tokens[at + 1]!.text}`]
      : [],
  );

/** How many of the things named last a pronoun may stand for. */
export const reach = 8;

/**
 * The command that the words at a token name.
 *
 * @param before things named before this clause, the latest last
 */
export function commandAt(
  tokens: readonly Token[],
  at: number,
  commands: Commands,
  before: readonly string[],
): { move: string; next: number } | undefined {
  const verb = tokens[at]?.text ?? '';
  // "the open fridge"; "opening the fridge takes a step" speaks of an act
  if (articles.has(tokens[at - 1]?.text ?? '') || (at === 0 && verb.endsWith('ing'))) return undefined;
  for (const does of [verb, ...(meanings.get(verb) ?? [])]) {
    let next = at + 1;
    if (does === 'go to') {
      while (['back', 'over', 'straight'].includes(tokens[next]?.text ?? '')) next++;
      if (tokens[next]?.text !== 'to') continue;
      next++;
    }
    const found = resolve(tokens, next, { does, verb, commands, before, at });
    if (found !== undefined) return found;
  }
  return undefined;
}

interface Phrase {
  readonly does: string;
  readonly verb: string;
  readonly commands: Commands;
  readonly before: readonly string[];
  readonly at: number;
}

function resolve(
  tokens: readonly Token[],
  from: number,
  { does, verb, commands, before, at }: Phrase,
): { move: string; next: number } | undefined {
  let next = from;
  const seen = [particleAt(tokens, next)];
  if (seen[0] !== undefined) next++;
  const named = namedAt(tokens, next);
  let meant = named === undefined ? undefined : commands.get(`${does} ${named.name}`);
  if (meant !== undefined) ({ next } = named!);
  else if (pronouns.has(tokens[next]?.text ?? '')) {
    const things = [...before, ...thingsOf(tokens.slice(0, at))].slice(-reach).reverse();
    meant = things.map((name) => commands.get(`${does} ${name}`)).find((some) => some !== undefined);
    next++;
  }
  if (meant === undefined) return undefined;
  seen.push(particleAt(tokens, next));
  if (seen[1] !== undefined && !isPlaced(tokens, next)) next++;
  const needed = parted.get(verb);
  if (needed !== undefined && !seen.some((one) => one !== undefined && needed.includes(one)))
    return undefined;
  const place = placeAt(tokens, next);
  if (place !== undefined) {
    const fits = meant.filter((command) => command.place === undefined || isSame(command.place, place.name));
    if (fits.length > 0 || / \d/.test(place.name)) {
      meant = fits;
      ({ next } = place);
    }
  }
  const [command, ...others] = meant;
  return command !== undefined && others.length === 0 ? { move: command.move, next } : undefined;
}

const isSame = (place: string, name: string): boolean => place === name || kindOf(place) === name;

const particleAt = (tokens: readonly Token[], at: number): string | undefined =>
  particles.has(tokens[at]?.text ?? '') ? tokens[at]!.text : undefined;

/** Whether a particle is the preposition of a place: "on the diningtable 1". */
const isPlaced = (tokens: readonly Token[], at: number): boolean =>
  placeAt(tokens, at) !== undefined && tokens[at]?.text === 'on';

/** The place behind one or two prepositions: "in/on shelf 1", "out of the drawer". */
function placeAt(tokens: readonly Token[], at: number): Named | undefined {
  let next = at;
  while (next < at + 3 && prepositions.has(tokens[next]?.text ?? '')) next++;
  return next === at ? undefined : namedAt(tokens, next);
}
