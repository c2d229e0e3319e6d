/**
 * @file The one check of what arrives: query strings, bodies, arguments of GraphQL and messages of sockets are read by
 * a schema, and what does not fit is refused with every flaw named.
 */
import { AppError, type ErrorCode } from '@espalier/contracts';
import { maxCount, time } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { describeIssue } from './describe-issue.js';

/** A whole number of at most 32 bits, as such or as text. */
export const wholeNumber = z
  .union([z.string().regex(/^-?\d+$/, 'expected a whole number'), z.number()], 'expected a whole number')
  .transform(Number)
  .pipe(z.int('expected a whole number').min(-maxCount).max(maxCount));
/** Any number, as such or as text. */
export const anyNumber = z
  .union([z.string().min(1, 'expected a number'), z.number()], 'expected a number')
  .transform(Number)
  .pipe(z.number('expected a number'));
/** `true` or `false`, as such or as text. */
export const flag = z
  .union([z.enum(['true', 'false']), z.boolean()], 'expected true or false')
  .transform((value) => value === true || value === 'true');
/** A moment, as ISO 8601 text or in ms since the epoch. */
export const moment = z.union([z.string(), z.number()]).transform((value, context) => {
  const isText = typeof value === 'string' && !/^\d+$/.test(value);
  const parsed = time.safeParse(isText ? Date.parse(value) : Number(value));
  if (parsed.success) return parsed.data;
  context.addIssue('expected a moment from 1970 to 2199, such as 2026-11-21T13:46:35Z');
  return z.NEVER;
});

/** A value that may be given several times; the list of all. */
export function several<S extends z.ZodType>(one: S, most: number) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(one).max(most));
}

/** Which refusal a flaw becomes, and what it calls that which was read. */
interface Refusal {
  readonly code?: ErrorCode;
  readonly whole?: string;
  readonly remedy?: string;
}

/**
 * Reads what arrived; null means the same as nothing.
 *
 * @param operation what was asked for, such as `list runs`
 * @throws server.invalid_query, or the code that is given, with every flaw in `details.flaws`; server.malformed
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  given: unknown,
  operation: string,
  { code = 'server.invalid_query', whole = 'the query', remedy = 'correct it and ask again' }: Refusal = {},
): z.output<S> {
  checkDepth(given);
  const input = withoutNothing(given ?? {});
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const flaws = parsed.error.issues.slice(0, 10).map((issue) => describeIssue(issue, input, whole, schema));
  throw new AppError(code, `${operation}: ${flaws.join('; ')}; ${remedy}`, { details: { flaws } });
}

function withoutNothing(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined && value !== null),
  );
}

/** arrays and objects in each other; what a plugin defines is a tenth of that, and a stack ends at some thousand */
const maxDepth = 256;

/**
 * Refuses a value from JSON that nests so deep that whoever recurses into it would exhaust the stack.
 *
 * @throws server.malformed
 */
export function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      throw new AppError(
        'server.malformed',
        `read the request: its JSON is nested more than ${maxDepth} deep; send it flatter`,
      );
    level = level.filter(isNested).flatMap((each) => Object.values(each));
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
