/** @file Claims about named things: which arm is better. */
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
  if (!names.has('better')) return [];
  // "Engineer is the worse arm, Teacher the better one" says two things
  const isBoth = has(tokens, more) && has(tokens, less);
  const parts = isBoth ? splitAt(tokens, ',') : [tokens];
  return parts.flatMap((part) => armClaims(part, names.get('arms') ?? []));
}

const more = ['better', 'best', 'higher', 'more', 'highest', 'greater', 'superior', 'richer'];
const less = ['worse', 'worst', 'lower', 'less', 'lowest', 'poorer', 'inferior'];

function splitAt(tokens: readonly Token[], sign: string): Token[][] {
  const parts: Token[][] = [[]];
  for (const token of tokens)
    if (token.text === sign) parts.push([]);
    else parts.at(-1)!.push(token);
  return parts;
}

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
    kind: 'name',
    key: `${arm} is better`,
    holds: ({ names }) => (names.has('better') ? names.get('better')?.includes(arm) : undefined),
    chance: () => 0.5,
  };
  const isDenial = isDenied(tokens, 0, tokens.length);
  return [isMore === isDenial ? deny(claim) : claim];
}
