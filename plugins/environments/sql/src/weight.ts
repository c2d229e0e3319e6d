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
const tooMany = 'too many queries within queries';

/** Says why a statement would grow too much; undefined if it does not. */
export function findHeavy(sql: string, views: readonly View[]): string | undefined {
  const bodies = new Map<string, readonly Token[]>();
  for (const view of views) bodies.set(view.name.toLowerCase(), readTokens(view.sql));
  const tokens = readTokens(sql);
  const main = new Set(tokens);
  for (const list of [...bodies.values(), tokens]) {
    const tables = commonTables(list);
    if (tables === undefined) return tooMany;
    for (const { name, title, body } of tables) {
      if (bodies.has(name))
        return `two common tables or views are called ${name}; call one of them otherwise`;
      bodies.set(name, body);
      // a definition alone is no copy
      for (const token of [...title, ...body]) main.delete(token);
    }
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
  return weigh(main) > maxWeight ? tooMany : undefined;
}

interface CommonTable {
  readonly name: string;
  /** The tokens of the name. */
  readonly title: readonly Token[];
  readonly body: readonly Token[];
}

/** The tables of each `WITH name (columns) AS (…), …`; undefined if there are more than a statement may have queries. */
function commonTables(tokens: readonly Token[]): CommonTable[] | undefined {
  const tables: CommonTable[] = [];
  const ends = endsOf(tokens);
  const isWord = (at: number, text: string): boolean =>
    tokens[at]?.kind === 'word' && tokens[at].text === text;
  for (const start of tokens.keys()) {
    if (!isWord(start, 'with')) continue;
    let at = start + (isWord(start + 1, 'recursive') ? 2 : 1);
    for (;;) {
      const title = tokens.slice(at, at + 1);
      const name = title[0]?.text ?? '';
      at += 1;
      at = (ends.get(at) ?? at - 1) + 1;
      if (!isWord(at, 'as')) break;
      at += 1;
      while (isWord(at, 'not') || isWord(at, 'materialized')) at += 1;
      const end = ends.get(at);
      if (end === undefined) break;
      if (tables.length >= maxWeight) return undefined;
      tables.push({ name, title, body: tokens.slice(at + 1, end) });
      if (tokens[end + 1]?.text !== ',') break;
      at = end + 2;
    }
  }
  return tables;
}

/** For each open bracket the place of the one that closes it. */
function endsOf(tokens: readonly Token[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const [at, { text, kind }] of tokens.entries()) {
    if (kind !== 'other') continue;
    if (text === '(') open.push(at);
    const start = text === ')' ? open.pop() : undefined;
    if (start !== undefined) ends.set(start, at);
  }
  return ends;
}
