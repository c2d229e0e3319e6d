/** @file Query strings of REST, checked by the same schemas as the arguments of GraphQL. */
import { AppError } from '@espalier/contracts';
import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from './open-api-notes.js';
import { z } from 'zod';
import { sayIssue } from './say-issue.js';

/** A whole number, as such or as text. */
export const wholeNumber = z
  .union([z.string().regex(/^-?\d+$/, 'expected a whole number'), z.number()], 'expected a whole number')
  .transform(Number)
  .pipe(z.int('expected a whole number'));
/** Any number, as such or as text. */
export const anyNumber = z
  .union([z.string().min(1, 'expected a number'), z.number()], 'expected a number')
  .transform(Number)
  .pipe(z.number('expected a number'));
/** `true` or `false`, as such or as text. */
export const flag = z
  .union([z.enum(['true', 'false']), z.boolean()], 'expected true or false')
  .transform((value) => value === true || value === 'true');
/** Text that may be given several times. */
export const texts = z
  .union([z.string(), z.array(z.string())], 'expected a name, or several')
  .transform((value) => (Array.isArray(value) ? value : [value]));

/**
 * Reads arguments; null means the same as nothing.
 *
 * @throws server.invalid_query
 */
export function parseQuery<S extends z.ZodType>(schema: S, given: unknown, attempt: string): z.output<S> {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>);
  const query = Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== null));
  const parsed = schema.safeParse(query);
  if (parsed.success) return parsed.data;
  const flaws = parsed.error.issues.slice(0, 10).map((issue) => sayIssue(issue, query, 'the query', schema));
  throw new AppError('server.invalid_query', `${attempt}: ${flaws.join('; ')}; correct it and ask again`, {
    details: { flaws },
  });
}

/** Describes the query string of a route by the schema that reads it. */
export function openApiQuery(schema: z.ZodObject): MethodDecorator {
  return applyDecorators(
    ...Object.entries(schema.shape).map(([name, part]) => {
      const kind = part as z.ZodType;
      const description = kind.description ?? '';
      return ApiQuery({ name, required: !kind.safeParse(undefined).success, description });
    }),
  );
}
