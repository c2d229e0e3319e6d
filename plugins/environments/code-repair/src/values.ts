/** @file Values that cross the border of a sandbox: JSON, with objects for what JSON has no form for. */
import type { Language } from './sandbox/job.js';

export type Value =
  | null
  | boolean
  | number
  | string
  | readonly Value[]
  /** a number that JSON cannot hold or would hold as another: `nan`, `5.0`, integers above 2^53 */
  | { readonly number: string }
  | { readonly tuple: readonly Value[] }
  | { readonly dict: readonly (readonly Value[])[] }
  | { readonly set: readonly Value[] }
  /** anything else, by its type; equals nothing */
  | { readonly other: string };

/** Deepest nesting of a value. */
const maxDepth = 48;

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);

/** Whether something read from JSON is a value. */
export function isValue(value: unknown, depth = 0): value is Value {
  if (depth > maxDepth) return false;
  if (value === null || ['boolean', 'number', 'string'].includes(typeof value)) return true;
  const areValues = (list: unknown): boolean =>
    isList(list) && list.every((item) => isValue(item, depth + 1));
  if (isList(value)) return areValues(value);
  const entries = Object.entries(value as object);
  const [kind, held] = entries[0] ?? [];
  if (entries.length !== 1) return false;
  if (kind === 'number' || kind === 'other') return typeof held === 'string';
  if (kind === 'tuple' || kind === 'set') return areValues(held);
  return (
    kind === 'dict' &&
    areValues(held) &&
    (held as unknown[]).every((pair) => isList(pair) && pair.length === 2)
  );
}

/** Reads what a sandbox answered; undefined where it is no value. */
export function parseValue(text: string): Value | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isValue(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A value as it is written in a language. */
export function toLiteral(value: Value, language: Language): string {
  const isPython = language === 'python';
  const many = (list: readonly Value[]): string => list.map((item) => toLiteral(item, language)).join(', ');
  if (value === null) return isPython ? 'None' : 'null';
  if (typeof value === 'boolean') return isPython ? (value ? 'True' : 'False') : String(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isList(value)) return `[${many(value)}]`;
  if ('number' in value) return numberLiteral(value.number, isPython);
  if ('tuple' in value) {
    if (!isPython) return `[${many(value.tuple)}]`;
    return `(${many(value.tuple)}${value.tuple.length === 1 ? ',' : ''})`;
  }
  if ('set' in value) return isPython ? `set([${many(value.set)}])` : `[${many(value.set)}]`;
  if ('dict' in value) {
    const pairs = value.dict.map(([key = null, item = null]) => {
      const name = toLiteral(key, language);
      // the one name that would set the prototype
      const isPlain = isPython || key !== '__proto__';
      return `${isPlain ? name : `[${name}]`}: ${toLiteral(item, language)}`;
    });
    return `{${pairs.join(', ')}}`;
  }
  return `<${value.other}>`;
}

/** A number's own text, where it is one of digits; what else there is has names. */
function numberLiteral(text: string, isPython: boolean): string {
  const number = numberOf(text);
  if (Number.isFinite(number) && /^-?[\d.]+(e[+-]?\d+)?n?$/i.test(text)) return text;
  const name = Number.isNaN(number) ? 'nan' : number > 0 ? 'inf' : '-inf';
  if (isPython) return `float("${name}")`;
  return name === 'nan' ? 'NaN' : name.replace('inf', 'Infinity');
}

function numberOf(text: string): number {
  const word = text.toLowerCase();
  if (/^-?inf(inity)?$/.test(word)) return word.startsWith('-') ? -Infinity : Infinity;
  return Number(text);
}

export interface Comparison {
  readonly language: Language;
  /** most difference of two numbers, absolute or relative, one of which is no integer */
  readonly tolerance: number;
  /** a tuple equals a list of the same */
  readonly sequencesAlike: boolean;
}

/** Whether two values are equal as the language compares them, with a tolerance for fractions. */
export function areEqual(actual: Value, expected: Value, how: Comparison): boolean {
  const left = asNumber(actual, how);
  const right = asNumber(expected, how);
  if (left !== undefined || right !== undefined)
    return left !== undefined && right !== undefined && areNear(left, right, how.tolerance);
  if (actual === null || expected === null || typeof actual !== 'object' || typeof expected !== 'object')
    return actual === expected;
  const one = sequenceOf(actual);
  const other = sequenceOf(expected);
  if (one !== undefined && other !== undefined) {
    if (!how.sequencesAlike && isList(actual) !== isList(expected)) return false;
    return one.length === other.length && one.every((item, place) => areEqual(item, other[place]!, how));
  }
  if ('set' in actual && 'set' in expected) return areSame(actual.set, expected.set, how);
  if ('dict' in actual && 'dict' in expected) return areSame(actual.dict, expected.dict, how);
  return false;
}

/** The same items in any order. */
function areSame(left: readonly unknown[], right: readonly unknown[], how: Comparison): boolean {
  if (left.length !== right.length) return false;
  const rest = [...(right as Value[])];
  return (left as Value[]).every((item) => {
    const place = rest.findIndex((other) => areEqual(item, other, how));
    if (place >= 0) rest.splice(place, 1);
    return place >= 0;
  });
}

function sequenceOf(value: Value): readonly Value[] | undefined {
  if (isList(value)) return value;
  return typeof value === 'object' && value !== null && 'tuple' in value ? value.tuple : undefined;
}

/** The text of a number; in Python a truth value is one. */
function asNumber(value: Value, { language }: Comparison): string | undefined {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean' && language === 'python') return value ? '1' : '0';
  return typeof value === 'object' && value !== null && 'number' in value ? value.number : undefined;
}

function areNear(left: string, right: string, tolerance: number): boolean {
  if (left === right) return true;
  // integers are exact, however long
  if (/^-?\d+$/.test(left) && /^-?\d+$/.test(right)) return false;
  const [one, other] = [numberOf(left), numberOf(right)];
  if (Number.isNaN(one) && Number.isNaN(other)) return /^-?nan$/i.test(left) && /^-?nan$/i.test(right);
  if (!Number.isFinite(one) || !Number.isFinite(other)) return one === other;
  return Math.abs(one - other) <= tolerance * Math.max(1, Math.abs(other));
}
