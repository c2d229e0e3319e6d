/** @file The words of a statement, without comments and white space. */

export interface Token {
  /** a word or a name without quotes, in lower case; a string, a number, or one character */
  readonly text: string;
  readonly kind: 'word' | 'quoted' | 'string' | 'other';
  /** open brackets before it */
  readonly depth: number;
}

const space = /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
const word = /[\p{L}_][\p{L}\p{N}_$]*/uy;
const quoted = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y;
const string = /'(?:[^']|'')*'/y;
const number = /\d[\d.]*(?:e[+-]?\d+)?/iy;

/** Splits a statement; what is no word, name, string or number stays single characters. */
export function readTokens(sql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  while (at < sql.length) {
    const blank = match(space);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const name = match(quoted);
    const text = match(string);
    const found = name ?? text ?? match(word) ?? match(number) ?? sql[at]!;
    at += found.length;
    if (found === ')') depth = Math.max(0, depth - 1);
    if (name !== undefined || text !== undefined)
      tokens.push({
        text: found.slice(1, -1).toLowerCase(),
        kind: name === undefined ? 'string' : 'quoted',
        depth,
      });
    else tokens.push({ text: found.toLowerCase(), kind: /^[\p{L}_]/u.test(found) ? 'word' : 'other', depth });
    if (found === '(') depth += 1;
  }
  return tokens;
}

/** Whether the order of a result's rows is asked for: ORDER BY outside of all brackets. */
export function isOrdered(sql: string): boolean {
  const tokens = readTokens(sql);
  return tokens.some(
    ({ text, kind, depth }, at) =>
      kind === 'word' && text === 'order' && depth === 0 && tokens[at + 1]?.text === 'by',
  );
}
