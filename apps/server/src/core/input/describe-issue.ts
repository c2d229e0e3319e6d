/** @file Describes why a schema refuses a value: what was found and what is allowed. */
import { nearestKey } from '@espalier/contracts/nearest-key';
import { z } from 'zod';

/** As zod reports it. */
interface Issue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

interface Details {
  readonly expected?: string;
  readonly origin?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
}

const kinds: Readonly<Record<string, string>> = {
  int: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

/** Messages of zod itself, which do not name the value; those of our schemas start differently. */
const isOfZod = /^(Invalid|Too (big|small)|Unrecognized)\b/;

/** Unknown keys that are named. */
const maxKeys = 10;

/**
 * Describes one finding, such as `priority is 1000; expected a whole number from -100 to 100`.
 *
 * @param input the complete input
 * @param subject name of the input
 * @param schema that refused it
 */
export function describeIssue(issue: Issue, input: unknown, subject: string, schema: z.ZodType): string {
  const path = issue.path ?? [];
  const name = path.length === 0 ? subject : path.map(String).join('.');
  const { keys } = issue as Details;
  if (issue.code === 'unrecognized_keys' && keys !== undefined) {
    const shown = keys.slice(0, maxKeys);
    const more = keys.length > maxKeys ? ` and ${keys.length - maxKeys} more` : '';
    const suggestion = suggestNames(shown, Object.keys(shapeAt(schema, path).properties ?? {}));
    return `${name} has the unknown ${keys.length === 1 ? 'key' : 'keys'} ${shown.map(show).join(', ')}${more} (${suggestion})`;
  }
  const value = path.reduce<unknown>(
    (at, key) => (at as Record<string, unknown> | null | undefined)?.[String(key)],
    input,
  );
  const found = value === undefined ? 'is missing' : `is ${show(value)}`;
  if (!isOfZod.test(issue.message)) return `${name} ${found}; ${issue.message}`;
  const isInteger = issue.code === 'invalid_type' && shapeAt(schema, path).type === 'integer';
  return `${name} ${found}; ${isInteger ? 'expected a whole number' : allowedBy(issue, issue as Details)}`;
}

/** A part of a JSON schema. */
interface Shape {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** Computed once per schema, as it takes milliseconds and every flaw needs it. */
const shapes = new WeakMap<z.ZodType, Shape>();

function shapeAt(schema: z.ZodType, path: readonly unknown[]): Shape {
  const options = { io: 'input', unrepresentable: 'any', reused: 'inline' } as const;
  const root = shapes.get(schema) ?? (z.toJSONSchema(schema, options) as Shape);
  shapes.set(schema, root);
  return path.reduce<Shape>((at, key) => at.properties?.[String(key)] ?? at.items ?? {}, root);
}

function allowedBy(
  { code, message }: Issue,
  { expected, origin, minimum, maximum, values }: Details,
): string {
  const unit = units[origin ?? ''] ?? '';
  if (code === 'invalid_type' && expected !== undefined) return `expected ${kinds[expected] ?? expected}`;
  if (code === 'too_small' && minimum !== undefined) return `expected at least ${minimum}${unit}`;
  if (code === 'too_big' && maximum !== undefined) return `expected at most ${maximum}${unit}`;
  if (code === 'invalid_value' && values !== undefined)
    return `expected one of ${values.map(String).join(', ')}`;
  return message;
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= 100 ? text : `${text.slice(0, 97)}…`;
}

/** Suggests the known names nearest to unknown ones, or lists all; starts in lower case, ends without a period. */
export function suggestNames(unknown: readonly string[], known: readonly string[]): string {
  const near = unknown.flatMap((name) => nearestKey(name, known) ?? []);
  if (near.length > 0) return `did you mean ${[...new Set(near)].join(', ')}?`;
  return known.length === 0 ? 'it takes none' : `it takes ${[...known].sort().join(', ')}`;
}
