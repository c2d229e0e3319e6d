/**
 * @file SQLite copies a view or a common table to each place that names it, before a statement runs and its instructions are
 * counted. Some that name each other twice would take minutes; how many copies there would be is known from the text.
 */
import { readTokens, type Token } from './tokens.js';

/** A view of the database. */
export interface View {
  readonly name: string;
  readonly sql: string;
}

/** Most queries of a statement, with those of each copy. */
const maxWeight = 64;

/** Says why a statement would grow too much; undefined if it does not. */
export function findHeavy(sql: string, views: readonly View[]): string | undefined {
  const bodies = new Map<string, readonly Token[]>();
  for (const view of views) bodies.set(view.name.toLowerCase(), readTokens(view.sql));
  const tokens = readTokens(sql);
  const main = new Set(tokens);
  for (const { name, body } of commonTables([...bodies.values(), tokens])) {
    if (bodies.has(name)) return `two common tables or views are called ${name}; call one of them otherwise`;
    bodies.set(name, body);
    for (const token of body) main.delete(token);
  }
  const weights = new Map<string, number>();
  const weigh = (list: Iterable<Token>, self?: string): number => {
    let weight = 0;
    for (const { text, kind } of list) {
      if (kind === 'word' && (text === 'select' || text === 'values')) weight += 1;
      const body = text === self || kind === 'other' ? undefined : bodies.get(text);
      if (body !== undefined) weight += weightOf(text, body);
    }
    return weight;
  };
  const weightOf = (name: string, body: readonly Token[]): number => {
    const known = weights.get(name);
    if (known !== undefined) return known;
    // a name that leads back to itself is an error to SQLite
    weights.set(name, 1);
    const weight = weigh(body, name);
    weights.set(name, weight);
    return weight;
  };
  return weigh(main) > maxWeight ? 'too many queries within queries' : undefined;
}

/** The `name AS (…)` of `WITH`: also finds expressions that only look like one, which does no harm. */
function* commonTables(
  lists: readonly (readonly Token[])[],
): Generator<{ readonly name: string; readonly body: readonly Token[] }> {
  for (const tokens of lists) {
    if (!tokens.some(({ text, kind }) => kind === 'word' && text === 'with')) continue;
    for (const [at, { text, kind }] of tokens.entries()) {
      if (kind !== 'word' || text !== 'as') continue;
      let start = at + 1;
      while (/^(?:not|materialized)$/.test(tokens[start]?.text ?? '')) start += 1;
      if (tokens[start]?.text !== '(') continue;
      const { depth } = tokens[start]!;
      const end = tokens.findIndex(
        (token, place) => place > start && token.depth === depth && token.text === ')',
      );
      yield {
        name: nameBefore(tokens, at),
        body: tokens.slice(start + 1, end < 0 ? tokens.length : end),
      };
    }
  }
}

/** The name before `AS`, or before a list of columns in brackets before it. */
function nameBefore(tokens: readonly Token[], at: number): string {
  const before = tokens[at - 1];
  if (before?.text !== ')') return before?.text ?? '';
  for (let place = at - 2; place > 0; place -= 1)
    if (tokens[place]!.text === '(' && tokens[place]!.depth === before.depth)
      return tokens[place - 1]?.text ?? '';
  return '';
}
