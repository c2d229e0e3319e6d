/** @file The words of a statement, without comments and white space, split where SQLite splits them (its tokenize.c). */

export interface Token {
  /** a word or a name without quotes, in lower case; a string, a number, or one character */
  readonly text: string;
  readonly kind: 'word' | 'quoted' | 'string' | 'other';
  /** open brackets before it */
  readonly depth: number;
}

const space = /[ \t\n\f\r\ufeff]+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y;
/** Every character above ASCII is part of a name, whether a letter or not. */
const word = /[A-Za-z_\u{80}-\u{10ffff}][\w$\u{80}-\u{10ffff}]*/uy;
/** A parameter may have anything but white space in brackets: `$a(")` is one. */
const parameter = /[$@#:](?:[\w$\u{80}-\u{10ffff}]|::)+(?:\([^) \t\n\v\f\r]*\)?)?/uy;
/** One that nothing closes goes to the end, so that its end is looked for once; SQLite refuses it. */
const quoted = /"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)/y;
const string = /'[^']*(?:''[^']*)*(?:'|$)/y;
const number = /\d[\d.]*(?:e[+-]?\d+)?/iy;

const kinds: readonly (readonly [Token['kind'], RegExp])[] = [
  ['quoted', quoted],
  ['string', string],
  ['word', word],
  ['other', parameter],
  ['other', number],
];

/** Splits a statement; what is no word, name, string or number stays single characters. */
export function readTokens(sql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let depth = 0;
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(sql)?.[0];
  };
  const read = (): readonly [Token['kind'], string] => {
    for (const [kind, pattern] of kinds) {
      const found = match(pattern);
      if (found !== undefined) return [kind, found];
    }
    return ['other', sql[at]!];
  };
  while (at < sql.length) {
    const blank = match(space);
    if (blank !== undefined) {
      at += blank.length;
      continue;
    }
    const [kind, found] = read();
    at += found.length;
    if (found === ')') depth = Math.max(0, depth - 1);
    const text = kind === 'quoted' || kind === 'string' ? unquote(found) : found;
    tokens.push({ text: text.toLowerCase(), kind, depth });
    if (found === '(') depth += 1;
  }
  return tokens;
}

/** What stands between quotes; a quote within is written twice. */
function unquote(text: string): string {
  const [quote = ''] = text;
  return text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** Whether the order of a result's rows is asked for: ORDER BY outside of all brackets. */
export function isOrdered(sql: string): boolean {
  const tokens = readTokens(sql);
  return tokens.some(
    ({ text, kind, depth }, at) =>
      kind === 'word' && text === 'order' && depth === 0 && tokens[at + 1]?.text === 'by',
  );
}
