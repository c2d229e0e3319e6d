import { isRecord } from '@espalier/contracts/values';

/** Joins path parts with dots: `rewards.1.weight`. */
export function joinPath(parts: readonly PropertyKey[]): string {
  return parts.map(String).join('.');
}

/** Lists the leaves of a value by dotted path; arrays of objects are traversed, other arrays are leaves. */
export function leaves(value: unknown, prefix: readonly string[] = []): [path: string, value: unknown][] {
  if (isRecord(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, entry]) => leaves(entry, [...prefix, key]));
  }
  if (Array.isArray(value) && value.some(isRecord)) {
    return value.flatMap((entry, index) => leaves(entry, [...prefix, String(index)]));
  }
  return [[joinPath(prefix), value]];
}

/** Freezes a value and everything inside it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const entry of Object.values(value)) deepFreeze(entry);
  }
  return value;
}

/** Formats a value for a message: quoted, at most 60 characters. */
export function quote(value: unknown): string {
  const isNumber = typeof value === 'number'; // JSON has no NaN and no infinity
  const text = isNumber ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
