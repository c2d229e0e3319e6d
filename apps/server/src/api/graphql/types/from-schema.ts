import type { Type } from '@nestjs/common';
import { type FieldOptions, Float, type ReturnTypeFunc } from '@nestjs/graphql';
import { z } from 'zod';
import { SafeIntScalar } from '../scalars.js';
import { describeType } from './describe-type.js';

type FieldType = object | string;

/**
 * Makes an object type from a zod schema of the wire, so that its fields are written once.
 *
 * @param types of fields that are not text, a number or a boolean, or a list of these
 */
export function typeOfSchema<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  types: { readonly [K in keyof S['shape']]?: FieldType } = {},
): Type<z.output<S>> {
  class SchemaType {}
  const fields: Record<string, readonly [ReturnTypeFunc, FieldOptions]> = {};
  for (const [key, given] of Object.entries(schema.shape) as [keyof S['shape'] & string, z.ZodType][]) {
    const { field, nullable } = unwrap(given);
    const text = given.description ?? field.description;
    if (text === undefined) throw new Error(`${name}.${key}: its schema has no description`);
    const isList = field instanceof z.ZodArray;
    const type = types[key] ?? scalarOf(`${name}.${key}`, isList ? (field.element as z.ZodType) : field);
    const about = `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
    fields[key] = [() => (isList ? [type] : type) as never, { nullable, description: about }];
  }
  describeType(SchemaType as Type<object>, { name, description }, fields);
  return SchemaType as Type<z.output<S>>;
}

function unwrap(given: z.ZodType, nullable = false): { field: z.ZodType; nullable: boolean } {
  if (given instanceof z.ZodDefault) return unwrap(given.unwrap() as z.ZodType, nullable);
  if (given instanceof z.ZodNullable || given instanceof z.ZodOptional)
    return unwrap(given.unwrap() as z.ZodType, true);
  return { field: given, nullable };
}

function scalarOf(path: string, field: z.ZodType): FieldType {
  if (field instanceof z.ZodString) return String;
  if (field instanceof z.ZodBoolean) return Boolean;
  if (field instanceof z.ZodNumber) return field.format === 'safeint' ? SafeIntScalar : Float;
  throw new Error(`${path}: name its type`);
}
