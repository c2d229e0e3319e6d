/** @file Whether something is as a check demands. Text patterns know `*` for any text, nothing else. */
import { isDeepStrictEqual } from 'node:util';
import type { Matcher } from './task.js';

/** Whether a text meets all that a matcher demands; `json` is what it says to a program, where it says anything. */
export function matches(demand: Matcher, text: string, json?: unknown): boolean {
  const { contains, lacks, like } = demand;
  if ('equals' in demand && demand.equals !== undefined && !isEqual(demand.equals, text, json)) return false;
  if (contains !== undefined && !text.includes(contains)) return false;
  if (lacks !== undefined && text.includes(lacks)) return false;
  return like === undefined || isLike(text.trim(), like);
}

function isEqual(expected: unknown, text: string, json: unknown): boolean {
  return typeof expected === 'string'
    ? text.trim() === expected.trim() || json === expected
    : isDeepStrictEqual(json, expected);
}

/** Whether a text is a pattern with `*` for any text. */
export function isLike(text: string, pattern: string): boolean {
  const [first = '', ...rest] = pattern.trim().split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length)
    return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** What a path such as `todos[0].text` leads to; undefined where it leads nowhere. */
export function follow(value: unknown, path: string): unknown {
  let found = value;
  for (const step of path.split(/[.[\]]+/).filter((part) => part !== '')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Record<string, unknown>)[step];
  }
  return found;
}

/** The JSON that a text is; undefined where it is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** A value of JSON with all of its texts and keys in lower case. */
export function lowerAll(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase();
  if (Array.isArray(value)) return value.map(lowerAll);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toLowerCase(), lowerAll(item)]));
}
