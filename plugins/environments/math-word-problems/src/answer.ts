/**
 * @file Whether an answer is right. An answer is one number, which is read as an exact fraction; nothing is computed, so
 * `6 * 12` is no answer. Where the expected answer is no number, such as a formula, texts are compared.
 */

/** `value`: equal numbers, however they are written; `text`: equal but for white space and case, as RAGEN. */
export type Matching = 'value' | 'text';

/** A fraction; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

/** Longest text that is read as a number, and longest answer that is compared at all. */
const maxNumber = 100;
const maxAnswer = 2000;

/** Compares an answer with the expected one. */
export function isCorrect(answer: string, expected: string, matching: Matching): boolean {
  if (answer.length > maxAnswer) return false;
  if (matching === 'text') return isSameText(answer, expected);
  const wanted = parseNumber(expected);
  if (wanted === undefined) return isSameText(unwrap(answer), unwrap(expected));
  const given = parseNumber(answer);
  return given !== undefined && given.numerator * wanted.denominator === wanted.numerator * given.denominator;
}

/** An empty answer is never right. */
const isSameText = (answer: string, expected: string): boolean =>
  squeeze(answer) !== '' && squeeze(answer) === squeeze(expected);

const squeeze = (text: string): string => text.replace(/\s+/g, '').toLowerCase();

/** Takes away what is written around an answer: a phrase, a box, dollars of a formula, a full stop. */
function unwrap(text: string): string {
  let bare = text.trim();
  for (let layer = 0; layer < 4; layer++) {
    const before = bare;
    bare = bare.replace(/^(?:the )?(?:final )?answer(?: is:?|:) ?/i, '').trim();
    if (bare.endsWith('.')) bare = bare.slice(0, -1).trim();
    bare = inside(bare, '\\boxed{', '}');
    bare = inside(bare, '\\(', '\\)');
    bare = inside(bare, '$', '$');
    if (bare === before) break;
  }
  return bare;
}

/** What is between two marks, where they enclose the whole text and close nowhere else. */
function inside(text: string, open: string, close: string): string {
  if (text.length <= open.length + close.length || !text.startsWith(open) || !text.endsWith(close))
    return text;
  const inner = text.slice(open.length, -close.length);
  if (close !== '}') return inner.includes(close) ? text : inner.trim();
  let depth = 0;
  for (const letter of inner) {
    if (letter === '{') depth++;
    else if (letter === '}') depth--;
    if (depth < 0) return text;
  }
  return inner.trim();
}

const decimal = /^(\d+)(?:\.(\d*))?$/;
/** Groups of three digits with one kind of separator. */
const groups = /^[1-9]\d{0,2}([, \u00a0\u202f])\d{3}(?:\1\d{3})*(?![\d, \u00a0\u202f])/;
const fraction = /^(?:(\d+) )?(\d+) ?\/ ?(\d+)$/;

/**
 * Reads a number: `72`, `-3`, `1,000`, `$12.50`, `50%`, `3/4`, `3 1/2`, `\frac{3}{4}`, each also in a `\boxed{}` or before a
 * full stop. A sign of a currency or a percent sign is a unit and changes nothing.
 *
 * @returns undefined for anything else
 */
export function parseNumber(text: string): Fraction | undefined {
  if (text.length > 2 * maxNumber) return undefined;
  const bare = unwrap(text);
  if (bare.length > maxNumber) return undefined;
  const plain = bare
    .replaceAll('\u2212', '-')
    .replace(/\\([$%])/g, '$1')
    .replaceAll('{,}', ',')
    .replaceAll('\\!', '')
    .replace(/\\[dt]?frac ?\{(\d+)\} ?\{(\d+)\}/, ' $1/$2')
    .trim();
  const unsigned = plain.replace(/^([-+]?) ?[$€£]? ?/, '$1').replace(/ ?%$/, '');
  const isNegative = unsigned.startsWith('-');
  let digits = /^[-+]/.test(unsigned) ? unsigned.slice(1).trim() : unsigned;
  const grouped = groups.exec(digits)?.[0];
  // `3 100/200` is three and a half, so spaces group no digits of a fraction
  if (grouped !== undefined && !digits.includes('/'))
    digits = grouped.replace(/\D/g, '') + digits.slice(grouped.length);
  const value = readDecimal(digits.startsWith('.') ? `0${digits}` : digits) ?? readFraction(digits);
  return value === undefined || !isNegative
    ? value
    : { numerator: -value.numerator, denominator: value.denominator };
}

function readDecimal(digits: string): Fraction | undefined {
  const [, whole, decimals = ''] = decimal.exec(digits) ?? [];
  if (whole === undefined) return undefined;
  return { numerator: BigInt(whole + decimals), denominator: 10n ** BigInt(decimals.length) };
}

function readFraction(digits: string): Fraction | undefined {
  const [, whole = '0', above, below] = fraction.exec(digits) ?? [];
  if (above === undefined || below === undefined || /^0+$/.test(below)) return undefined;
  const denominator = BigInt(below);
  return { numerator: BigInt(whole) * denominator + BigInt(above), denominator };
}
