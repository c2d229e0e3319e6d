/**
 * @file Validates all input: query strings, bodies, arguments of GraphQL and messages of sockets are parsed by a schema, and
 * the error names every flaw.
 */
import { AppError, type ErrorCode } from '@espalier/contracts';
import { maxCount, time } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { describeIssue } from './describe-issue.js';

/** A whole number of at most 32 bits, as a number or as text. */
export const wholeNumber = z
  .union([z.string().regex(/^-?\d+$/, 'expected a whole number'), z.number()], 'expected a whole number')
  .transform(Number)
  .pipe(z.int('expected a whole number').min(-maxCount).max(maxCount));
/** Any number, as a number or as text. */
export const anyNumber = z
  .union([z.string().min(1, 'expected a number'), z.number()], 'expected a number')
  .transform(Number)
  .pipe(z.number('expected a number'));
/** A boolean, or `true` or `false` as text. */
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

/** A parameter that may occur several times, as a list. */
export function several<S extends z.ZodType>(one: S, max: number) {
  return z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(one).max(max));
}

/**
 * Parses input; null means the same as a missing value, also in mappings and lists of mappings inside, but not in JSON,
 * such as a spec.
 *
 * @param operation such as `list runs`
 * @throws server.invalid_input, or the given code, with every flaw in `details.flaws`; server.malformed
 */
export function parseInput<S extends z.ZodType>(
  schema: S,
  input: unknown,
  operation: string,
  code: ErrorCode = 'server.invalid_input',
): z.output<S> {
  checkDepth(input);
  const values = omitNulls(omitMissing(input ?? {}), schema);
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const flaws = parsed.error.issues
    .slice(0, 10)
    .map((issue) => describeIssue(issue, values, 'the request', schema));
  throw new AppError(code, `${operation}: ${flaws.join('; ')}; correct the request`, { details: { flaws } });
}

function omitMissing(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const entries = Object.entries(input);
  const given = entries.filter(([, value]) => value !== undefined && value !== null);
  return given.length === entries.length ? input : Object.fromEntries(given);
}

/** Leaves out each null of a field that may be missing and takes no null; the depth of the schema is that of the recursion. */
function omitNulls(input: unknown, schema: z.ZodType): unknown {
  const type = unwrap(schema);
  if (type instanceof z.ZodArray && Array.isArray(input))
    return input.map((each) => omitNulls(each, type.element as z.ZodType));
  // those with keys of any name are JSON
  const isTyped = type instanceof z.ZodObject && !(type.def.catchall instanceof z.ZodUnknown);
  if (!isTyped || typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  const shape: Readonly<Record<string, z.ZodType>> = type.shape;
  const known = Object.entries(shape).filter(([key]) => Object.hasOwn(input, key));
  const output: Record<string, unknown> = { ...input };
  for (const [key, field] of known) {
    if (output[key] === null && isSkippable(field)) delete output[key];
    else output[key] = omitNulls(output[key], field);
  }
  return output;
}

const isSkippable = (field: z.ZodType): boolean =>
  field.safeParse(undefined).success && !field.safeParse(null).success;

/** The type behind defaults, transforms and what may be missing. */
function unwrap(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPipe)
    return unwrap((schema.in instanceof z.ZodTransform ? schema.out : schema.in) as z.ZodType);
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly;
  return isWrapper ? unwrap(schema.unwrap() as z.ZodType) : schema;
}

/** levels of nesting; schemas of plugins have a tenth of that, and recursion fails at some thousand */
const maxDepth = 256;

/**
 * Refuses JSON that is nested so deeply that recursive code would exhaust the stack.
 *
 * @throws server.malformed
 */
export function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth)
      throw new AppError(
        'server.malformed',
        `read the request: its JSON is nested more than ${maxDepth} levels deep; flatten it`,
      );
    level = level.filter(isNested).flatMap((each) => Object.values(each));
  }
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
