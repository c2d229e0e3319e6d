/** @file What a person has written beside a citation: a number with its precision, or a quotation. Pure. */

export type WrittenValue =
  | { readonly kind: 'number'; readonly text: string; readonly value: number; readonly tolerance: number }
  | { readonly kind: 'quote'; readonly text: string };

const scales: Readonly<Record<string, number>> = { '%': 0.01, k: 1e3, M: 1e6 };

/** Signs that may stand between a value and its citation. */
const between = new Set([' ', '\t', '\n', '\u00a0', '\u202f', ',', ':', '(', '*', '_']);
// a number, perhaps with groups of digits, and a unit that may scale it
const number =
  /(?<sign>(?<!\d)[−+-])?(?<![\d.])(?<digits>\d{1,3}(?:[,\u202f\u00a0]\d{3}){1,5}(?:\.\d{1,15})?|\d{1,15}(?:\.\d{1,15})?)(?<power>e[−+-]?\d{1,3})?[ \u202f\u00a0]?(?<unit>%|k|M|s|nats|tokens|points)?$/u;
const quote = /(?:"([^"]{1,300})"|“([^”]{1,300})”|„([^“]{1,300})“|«([^»]{1,300})»)$/u;

/** Words before a number that count something else than the value. */
const ordinals = new Set(['step', 'steps', 'turn', 'token', 'seed', 'figure', 'table', 'section']);

/** Finds what stands directly before a citation; undefined: nothing to check. */
export function findWritten(before: string): WrittenValue | undefined {
  // longer texts before it are another sentence
  const text = trimEnd(before.slice(-400));
  const quoted = quote
    .exec(text)
    ?.slice(1)
    .find((part) => part !== undefined);
  if (quoted !== undefined) return { kind: 'quote', text: quoted };
  const found = number.exec(text);
  if (found?.groups === undefined) return undefined;
  const { sign = '', digits = '', power = '', unit = '' } = found.groups;
  const word = text.slice(0, found.index).trimEnd().split(/\s/).at(-1) ?? '';
  if (ordinals.has(word.toLowerCase())) return undefined;
  const plain = digits.replaceAll(/[,\u202f\u00a0]/g, '');
  const decimals = plain.split('.')[1]?.length ?? 0;
  const exponent = power === '' ? 0 : Number(power.slice(1).replace('−', '-'));
  const scale = (scales[unit] ?? 1) * 10 ** exponent;
  const value = Number(plain) * scale * (sign === '−' || sign === '-' ? -1 : 1);
  // half of the last digit that was written, and what binary fractions lose
  const tolerance = 0.5 * 10 ** -decimals * scale * (1 + 1e-6) + Math.abs(value) * 1e-12;
  return {
    kind: 'number',
    text: `${sign}${digits}${power}${unit === '' ? '' : ` ${unit}`}`,
    value,
    tolerance,
  };
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && between.has(text[end - 1] ?? '')) end--;
  return text.slice(0, end);
}

/** Whether a stored number rounds to the written one. */
export const agrees = (
  { value, tolerance }: Extract<WrittenValue, { kind: 'number' }>,
  stored: number,
): boolean => Math.abs(stored - value) <= tolerance;

/** Whether a text has the quotation, apart from white space; `…` and `...` leave something out. */
export function hasQuote(text: string, words: string): boolean {
  const squeeze = (one: string): string => one.replaceAll(/\s+/g, ' ').trim();
  const whole = squeeze(text);
  let from = 0;
  for (const part of words.split(/…|\.\.\./).map(squeeze)) {
    const at = whole.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return true;
}
