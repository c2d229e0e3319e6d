/**
 * @file Claims about a house with numbered things ("drawer 1"): where one stands, what one holds, what is open, what is in
 * sight or lies where. What lies in a place where one is not, the facts cannot tell.
 */
import { type Claim, deny } from './claim.js';
import { type Clause, isDenied, joins, type Token, wordSet } from './clauses.js';

/** A thing or a place as it is named in a clause. */
interface Named {
  readonly name: string;
  readonly at: number;
  /** whether it is named as a place: "in the drawer 1" */
  readonly isPlace: boolean;
}

/** What a part of a clause says, until a part says something else; `in drawer 1`: that a thing lies there. */
type Predicate = 'holding' | 'at' | 'visible' | 'none' | `in ${string}`;

/** A claim before it is known where it stands. */
type HouseClaim = Omit<Claim, 'start' | 'end' | 'kind'>;

const articles = wordSet('the a an my');
const containing = wordSet('in on inside onto into within');
const holding = wordSet('holding hold carrying carry hand hands inventory');
const has = wordSet('contains contain containing has');
const seen = wordSet('see visible here there sees');
const standing = wordSet('at by facing near before front');
const acts = wordSet(
  'go going take put move use walk look check try close clean heat cool examine need find open bring to place drop grab pick turn switch wash warm chill slice cut visit',
);

/** "drawer 1": a word and a number, with what stands before it. */
function namedAt(tokens: readonly Token[], at: number): Named | undefined {
  const [word, number] = [tokens[at], tokens[at + 1]];
  if (word === undefined || number === undefined) return undefined;
  if (!/^[a-z]{3,}$/.test(word.text) || !/^\d+$/.test(number.text)) return undefined;
  const before = articles.has(tokens[at - 1]?.text ?? '') ? at - 2 : at - 1;
  return { name: `${word.text} ${number.text}`, at, isPlace: containing.has(tokens[before]?.text ?? '') };
}

const namedIn = (tokens: readonly Token[]): Named[] =>
  [...tokens.keys()].map((at) => namedAt(tokens, at)).filter((one) => one !== undefined);

const includes = (tokens: readonly Token[], words: ReadonlySet<string>): boolean =>
  tokens.some(({ text }) => words.has(text));

/** The thing that `it` or `which` stands for in the next clause: the first that a clause names. */
export const topicOf = ({ tokens }: Pick<Clause, 'tokens'>): string | undefined => namedIn(tokens)[0]?.name;

/**
 * Finds what a clause says about a house.
 *
 * @param topic what the clauses before are about
 */
export function houseClaims({ tokens }: Pick<Clause, 'tokens'>, topic?: string): Claim[] {
  const claims: Claim[] = [];
  let predicate: Predicate = 'none';
  for (const part of partsOf(tokens)) {
    const found = claimsOfPart(part, predicate, topic);
    ({ predicate } = found);
    claims.push(...found.claims);
  }
  return claims;
}

/** Cuts a clause at commas, `and` and a colon before "I", so that each part says one thing. */
function partsOf(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]];
  for (const [index, token] of tokens.entries())
    if (token.text === ',' || token.text === 'and' || (token.text === ':' && tokens[index + 1]?.text === 'i'))
      parts.push([]);
    else parts.at(-1)!.push(token);
  return parts.filter((part) => part.length > 0);
}

interface PartClaims {
  readonly claims: readonly Claim[];
  /** what a part that only goes on with a list says of its things */
  readonly predicate: Predicate;
}

const nothing: PartClaims = { claims: [], predicate: 'none' };

function claimsOfPart(tokens: readonly Token[], before: Predicate, topic: string | undefined): PartClaims {
  const place = { start: tokens[0]!.start, end: tokens.at(-1)!.end };
  const isNot = isDenied(tokens, 0, tokens.length);
  const say = (claim: HouseClaim, isNegative = isNot): Claim => {
    const whole: Claim = { ...place, kind: 'house', ...claim };
    return isNegative ? deny(whole) : whole;
  };
  const named = namedIn(tokens);
  const [first] = named;
  if (includes(tokens, holding) || (first !== undefined && isHaving(tokens, first))) {
    const isNone = tokens.some(({ text }) => text === 'nothing' || text === 'empty' || text === 'anything');
    if (first === undefined && !isNone) return nothing;
    // "nothing" and "not … anything" are denials themselves; "not empty" is one of it
    const claim =
      first === undefined
        ? say(holdsNothing, isNot && tokens.some(({ text }) => text === 'empty'))
        : say(listed('holding', first.name, 0.1));
    return { claims: [claim], predicate: 'holding' };
  }
  const door = doorClaim(tokens, first?.name ?? (isPronoun(tokens) ? topic : undefined), say);
  if (door !== undefined) return { claims: [door], predicate: 'none' };
  if (first === undefined) return { claims: [], predicate: includes(tokens, acts) ? 'none' : before };
  const lead = tokens.slice(0, first.at);
  if (lead.every(({ text }) => articles.has(text)) && tokens.length <= first.at + 3 && before !== 'none')
    return { claims: [say(claimOf(before, first.name))], predicate: before };
  if (lead.some(({ text }, index) => acts.has(text) && !isNextTo(lead, index))) return nothing;
  if (
    ['this is', 'and this is'].includes(
      lead
        .filter(({ text }) => !articles.has(text))
        .map(({ text }) => text)
        .join(' '),
    )
  )
    return { claims: [say(isAt(first.name))], predicate: 'at' };
  const isMine =
    lead.some(({ text }) => ['i', "i'm", 'location'].includes(text)) || lead.at(-1)?.text === ':';
  if (isMine && lead.some(({ text }) => standing.has(text) || text === 'location'))
    return { claims: [say(isAt(first.name))], predicate: 'at' };
  return placeClaims(tokens, named, say);
}

/** "I already have the mug 1" */
const isHaving = (tokens: readonly Token[], { at }: Named): boolean =>
  tokens[0]?.text === 'i' &&
  /^i (?:already |now |still )?have(?: the| a| an)?$/.test(
    tokens
      .slice(0, at)
      .map(({ text }) => text)
      .join(' '),
  );

/** "it is closed", "but it is closed" */
const isPronoun = ([first, second]: readonly Token[]): boolean =>
  ['it', 'which'].includes(first?.text ?? '') || (joins.has(first?.text ?? '') && second?.text === 'it');

const isNextTo = (tokens: readonly Token[], at: number): boolean =>
  tokens[at]?.text === 'to' && tokens[at - 1]?.text === 'next';

type Say = (claim: HouseClaim, isNegative?: boolean) => Claim;

/** "The drawer 1 is closed"; "open the drawer 1" is an act. */
function doorClaim(tokens: readonly Token[], name: string | undefined, say: Say): Claim | undefined {
  if (name === undefined) return undefined;
  const isShut = includes(tokens, wordSet('closed shut'));
  const at = tokens.findIndex(({ text }) => text === 'open' || text === 'opened');
  const next = articles.has(tokens[at + 1]?.text ?? '') ? at + 2 : at + 1;
  if (!isShut && (at < 0 || namedAt(tokens, next) !== undefined || tokens[at + 1]?.text === 'it'))
    return undefined;
  const claim = listed('open', name, 0.3);
  const isNot = isDenied(tokens, 0, tokens.length);
  return say(claim, isNot !== isShut);
}

/** What lies where, or is in sight. */
function placeClaims(tokens: readonly Token[], named: readonly Named[], say: Say): PartClaims {
  const verb = tokens.findIndex(({ text }) => has.has(text));
  const container = verb < 0 ? named.find(({ isPlace }) => isPlace) : named.find(({ at }) => at < verb);
  const things = named.filter((one) => one !== container && !one.isPlace && (verb < 0 || one.at > verb));
  const isNext = tokens.some((_, index) => isNextTo(tokens, index));
  if (container === undefined) {
    if (!isNext && !includes(tokens, seen)) return nothing;
    return { claims: things.map(({ name }) => say(listed('visible', name, 0.1))), predicate: 'visible' };
  }
  return {
    claims: things.map(({ name }) => say(liesIn(name, container.name))),
    predicate: things.length > 0 ? `in ${container.name}` : 'none',
  };
}

const listed = (list: string, name: string, chance: number): HouseClaim => ({
  key: `${list} ${name}`,
  holds: ({ names }) => names.get(list)?.includes(name),
  chance: () => chance,
});

/** What goes on with a list says of its next thing. */
const claimOf = (predicate: Exclude<Predicate, 'none'>, name: string): HouseClaim =>
  predicate === 'at'
    ? isAt(name)
    : predicate.startsWith('in ')
      ? liesIn(name, predicate.slice(3))
      : listed(predicate, name, 0.1);

const isAt = (name: string): HouseClaim => listed('at', name, 0.05);

const holdsNothing: HouseClaim = {
  key: 'holding nothing',
  holds: ({ names }) => (names.has('holding') ? names.get('holding')?.length === 0 : undefined),
  chance: () => 0.5,
};

const liesIn = (name: string, place: string): HouseClaim => ({
  key: `${name} in ${place}`,
  holds: ({ names }) =>
    names.get('at')?.includes(place) === true ? names.get('visible')?.includes(name) : undefined,
  chance: () => 0.1,
});
