import type { Type } from '@nestjs/common';
import { stepOrNull } from '../../../core/database/columns.js';
import {
  Field,
  type FieldMiddleware,
  type FieldOptions,
  Int,
  ObjectType,
  type ObjectTypeOptions,
  type ReturnTypeFunc,
} from '@nestjs/graphql';

/** The GraphQL type of a field, and its description. */
type FieldSpec = readonly [type: ReturnTypeFunc, options?: FieldOptions];

const missingStep: FieldMiddleware = async (_context, next) => {
  return stepOrNull((await next()) as number);
};

/** Some text columns are empty where there is no value. */
const textOrNull: FieldMiddleware = async (_context, next) => {
  const text: unknown = await next();
  return text === '' ? null : text;
};

/** An enum that may be missing. */
export const enumOrNull = (type: ReturnTypeFunc, description: string): FieldSpec => [
  type,
  { nullable: true, description, middleware: [textOrNull] },
];

/** A step that may be missing. */
export const stepField = (description: string): FieldSpec => [
  () => Int,
  { nullable: true, description, middleware: [missingStep] },
];

const described = new Map<Type<unknown>, ReadonlySet<string>>();

/** Whether a field is a property of the class; resolvers add further fields, which only GraphQL has. */
export const isDescribed = (type: Type<unknown>, field: string): boolean =>
  described.get(type)?.has(field) === true;

/**
 * Makes a class of the core an object type of the API. The core does not know GraphQL, so its fields are described here
 * instead of by decorators; properties that are not named stay private.
 */
export function describeType<T extends object>(
  type: Type<T>,
  options: ObjectTypeOptions & { readonly name?: string },
  fields: { readonly [K in keyof T]?: FieldSpec },
): void {
  described.set(type, new Set(Object.keys(fields)));
  const { name, ...rest } = options;
  if (name === undefined) ObjectType(rest)(type);
  else ObjectType(name, rest)(type);
  for (const [key, [returns, about]] of Object.entries(fields) as [string, FieldSpec][])
    Field(returns, about ?? {})(type.prototype as object, key);
}
