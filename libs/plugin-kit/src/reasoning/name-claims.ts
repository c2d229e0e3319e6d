/** @file Claims about named things: which arm is better, where one stands, what one holds, what is open or in sight. */
import { type Claim, deny } from './claim.js';
import { type Clause, isDenied, type Token } from './clauses.js';
import type { World } from './world.js';

interface Place {
  readonly start: number;
  readonly end: number;
}

const has = (tokens: readonly Token[], words: readonly string[]): boolean =>
  tokens.some(({ text }) => words.includes(text));

/** Places of a name of one or more words in a clause. */
function findName(
  tokens: readonly Token[],
  name: string,
  from = 0,
): { readonly at: number; readonly next: number } | undefined {
  const words = name.split(/\s+/);
  for (let at = from; at + words.length <= tokens.length; at++)
    if (words.every((word, index) => tokens[at + index]?.text === word))
      return { at, next: at + words.length };
  return undefined;
}

const span = (tokens: readonly Token[]): Place => ({
  start: tokens[0]?.start ?? 0,
  end: tokens.at(-1)?.end ?? 0,
});

/** Finds what a clause says about named things. */
export function nameClaims({ tokens }: Pick<Clause, 'tokens'>, { names }: World): Claim[] {
  const claims = names.has('better') ? armClaims(tokens, names.get('arms') ?? []) : [];
  return names.has('visible') ? [...claims, ...houseClaims(tokens)] : claims;
}

const more = ['better', 'best', 'higher', 'more', 'highest', 'greater', 'superior', 'richer'];
const less = ['worse', 'worst', 'lower', 'less', 'lowest', 'poorer', 'inferior'];

/** "Engineer pays more", "Teacher is worse than Engineer": the arm that comes first is spoken of. */
function armClaims(tokens: readonly Token[], arms: readonly string[]): Claim[] {
  const found = arms
    .map((arm) => ({ arm, at: findName(tokens, arm)?.at ?? -1 }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at);
  const [first] = found;
  const isMore = has(tokens, more);
  if (first === undefined || isMore === has(tokens, less)) return [];
  const { arm } = first;
  const claim: Claim = {
    ...span(tokens),
    key: `${arm} is better`,
    holds: ({ names }) => (names.has('better') ? names.get('better')?.includes(arm) : undefined),
    chance: () => 0.5,
  };
  const isDenial = isDenied(tokens, 0, tokens.length);
  return [isMore === isDenial ? deny(claim) : claim];
}

/** "drawer 1": a word and a number. */
function objectAt(tokens: readonly Token[], at: number): string | undefined {
  const [word, number] = [tokens[at], tokens[at + 1]];
  const isName =
    word !== undefined && /^[a-z]{3,}$/.test(word.text) && number !== undefined && /^\d+$/.test(number.text);
  return isName ? `${word.text} ${number.text}` : undefined;
}

function houseClaims(tokens: readonly Token[]): Claim[] {
  const place = span(tokens);
  const objects = [...tokens.keys()]
    .map((at) => ({ at, name: objectAt(tokens, at) }))
    .filter((one): one is { at: number; name: string } => one.name !== undefined);
  const [first] = objects;
  const fact = (list: string, name: string, chance: number): Claim => ({
    ...place,
    key: `${list} ${name}`,
    holds: ({ names }) => names.get(list)?.includes(name),
    chance: () => chance,
  });
  const say = (claim: Claim, to = tokens.length): Claim[] => [isDenied(tokens, 0, to) ? deny(claim) : claim];
  const isHeld = has(tokens, ['holding', 'hold', 'carrying', 'carry', 'hand', 'hands', 'inventory']);
  if (isHeld && (has(tokens, ['nothing', 'empty']) || (first === undefined && has(tokens, ['anything']))))
    return [
      {
        ...place,
        key: 'holding nothing',
        holds: ({ names }) => (names.has('holding') ? names.get('holding')?.length === 0 : undefined),
        chance: () => 0.5,
      },
    ];
  if (first === undefined) return [];
  if (isHeld) return say(fact('holding', first.name, 0.1));
  const isAct = has(tokens, [
    'go',
    'take',
    'put',
    'move',
    'use',
    'walk',
    'look',
    'check',
    'try',
    'close',
    'clean',
    'heat',
    'cool',
    'examine',
    'need',
    'find',
    'to',
  ]);
  if (isAct) return [];
  if (has(tokens, ['open', 'opened'])) return say(fact('open', first.name, 0.3));
  if (has(tokens, ['closed', 'shut'])) {
    const claim = deny(fact('open', first.name, 0.3));
    return isDenied(tokens, 0, tokens.length) ? [deny(claim)] : [claim];
  }
  const isMe = tokens.slice(0, first.at).some(({ text }) => text === 'i' || text === "i'm");
  if (
    isMe &&
    tokens.slice(0, first.at).some(({ text }) => ['at', 'by', 'facing', 'near', 'before'].includes(text))
  )
    return say(fact('at', first.name, 0.05), first.at);
  const isSeen = has(tokens, ['see', 'visible', 'here', 'there', 'contains', 'has', 'on', 'in']);
  return isSeen
    ? say(fact('visible', has(tokens, ['contains', 'has']) ? (objects[1] ?? first).name : first.name, 0.1))
    : [];
}
