/** @file A task: a broken program, tests, and a program that passes them. */
import { z } from 'zod';
import { languages } from './sandbox/job.js';
import { isValue, toLiteral, type Value } from './values.js';

const value = z.custom<Value>(
  (given) => isValue(given),
  'expected JSON, with {"tuple": […]}, {"dict": [[key, value], …]}, {"set": […]} or {"number": "…"} for what JSON lacks',
);
const source = z.string().min(1).max(8000);

/** A task as files have it. */
export const taskSchema = z.strictObject({
  name: z.string().min(1).max(100),
  language: z.enum(languages),
  entry: z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,59}$/, 'expected the name of a function'),
  text: z.string().max(4000).default(''),
  group: z.string().min(1).optional(),
  broken: source,
  solution: source,
  tests: z
    .array(
      z.strictObject({
        args: z.array(value).max(20),
        expected: value,
        tolerance: z.number().min(0).optional(),
      }),
    )
    .min(2)
    .max(100),
  sequences: z.enum(['exact', 'alike']).default('exact'),
});

export type Task = z.infer<typeof taskSchema>;

/** A call of a test, as it is shown. */
export function callOf({ entry, language }: Task, args: readonly Value[]): string {
  return `${entry}(${args.map((one) => toLiteral(one, language)).join(', ')})`;
}

/** The arguments of a test, as a sandbox reads them. */
export const argumentsOf = ({ language }: Task, args: readonly Value[]): string => toLiteral(args, language);
