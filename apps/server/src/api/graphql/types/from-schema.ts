/** @file Object and input types of GraphQL made from zod schemas, so that their fields are written once. */
import type { Type } from '@nestjs/common';
import { Field, type FieldOptions, Float, InputType, Int, type ReturnTypeFunc } from '@nestjs/graphql';
import { z } from 'zod';
import { anyNumber, flag, moment, wholeNumber } from '../../../core/input/parse-input.js';
import { DateTimeScalar, SafeIntScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

type FieldType = object | string;
/** Types of fields that are not text, a number, a boolean or a moment, or a list of these. */
type FieldTypes<S extends z.ZodObject> = { readonly [K in keyof S['shape']]?: FieldType };

/** Makes the object type of a schema. @param more options of its fields beyond what the schema says */
export function typeOfSchema<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  types: FieldTypes<S> = {},
  more: { readonly [K in keyof S['shape']]?: FieldOptions } = {},
): Type<z.output<S>> {
  class SchemaType {}
  const fields = fieldsOf(name, schema, types, SafeIntScalar).map(
    ([key, [returns, options]]) => [key, [returns, { ...options, ...more[key] }]] as const,
  );
  describeType(SchemaType as Type<object>, { name, description }, Object.fromEntries(fields));
  return SchemaType as Type<z.output<S>>;
}

/** Makes the input type of a schema of requests. The resolver parses the input by the schema. */
export function inputOfSchema<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  types: FieldTypes<S> = {},
): Type<z.output<S>> {
  class SchemaInput {}
  InputType(name, { description })(SchemaInput);
  for (const [key, [returns, options]] of fieldsOf(name, schema, types, Int))
    Field(returns, options)(SchemaInput.prototype, key);
  return SchemaInput as Type<z.output<S>>;
}

/** An id of something, as a field of an input. */
export const idOf = (what: string): z.ZodString => z.string().describe(`the ${what}`);

/** A description of a schema as GraphQL has it. */
export const toSentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

type NamedField = readonly [key: string, field: readonly [ReturnTypeFunc, FieldOptions]];

/** @param integer the type of whole numbers */
function fieldsOf<S extends z.ZodObject>(
  name: string,
  schema: S,
  types: FieldTypes<S>,
  integer: FieldType,
): NamedField[] {
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([key, given]) => {
    const { field, nullable, defaultValue, description: text } = unwrap(given);
    if (text === undefined) throw new Error(`${name}.${key}: its schema has no description`);
    const isList = field instanceof z.ZodArray;
    const type =
      types[key] ?? scalarOf(`${name}.${key}`, isList ? (field.element as z.ZodType) : field, integer);
    const options = { nullable, description: toSentence(text), ...(integer === Int && { defaultValue }) };
    return [key, [() => (isList ? [type] : type) as never, options]];
  });
}

/** What the wrappers of a schema say of its field; the outermost description counts. */
interface Unwrapped {
  readonly field: z.ZodType;
  readonly nullable: boolean;
  readonly defaultValue?: unknown;
  readonly description: string | undefined;
}

function unwrap(given: z.ZodType): Unwrapped {
  const inner = innerOf(given);
  if (inner === undefined) return { field: given, nullable: false, description: given.description };
  const unwrapped = unwrap(inner);
  return {
    ...unwrapped,
    description: given.description ?? unwrapped.description,
    ...((given instanceof z.ZodNullable || given instanceof z.ZodOptional) && { nullable: true }),
    ...(given instanceof z.ZodDefault && { defaultValue: given.def.defaultValue }),
  };
}

function innerOf(given: z.ZodType): z.ZodType | undefined {
  if (parsed.has(given)) return undefined;
  if (given instanceof z.ZodPipe) return given.in as z.ZodType;
  const isWrapper =
    given instanceof z.ZodDefault ||
    given instanceof z.ZodNullable ||
    given instanceof z.ZodOptional ||
    given instanceof z.ZodReadonly;
  return isWrapper ? (given.unwrap() as z.ZodType) : undefined;
}

/** Schemas that also accept text, as query strings have it. */
const parsed = new Map<z.ZodType, FieldType>([
  [flag, Boolean],
  [wholeNumber, Int],
  [anyNumber, Float],
  [moment, DateTimeScalar],
]);

function scalarOf(path: string, field: z.ZodType, integer: FieldType): FieldType {
  const known = parsed.get(field);
  if (known !== undefined) return known;
  if (field instanceof z.ZodString) return String;
  if (field instanceof z.ZodBoolean) return Boolean;
  if (field instanceof z.ZodNumber) return isInteger(field) ? (fitsInt(field) ? Int : integer) : Float;
  throw new Error(`${path}: name its type`);
}

const isInteger = ({ format }: z.ZodNumber): boolean => format === 'safeint' || format === 'int32';

/** Whether all its values are whole numbers of 32 bits. */
const fitsInt = ({ minValue, maxValue }: z.ZodNumber): boolean =>
  (minValue ?? -Infinity) >= -(2 ** 31) && (maxValue ?? Infinity) < 2 ** 31;
