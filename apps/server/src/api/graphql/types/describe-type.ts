import type { Type } from '@nestjs/common';
import {
  Field,
  type FieldOptions,
  ObjectType,
  type ObjectTypeOptions,
  type ReturnTypeFunc,
} from '@nestjs/graphql';

/** The GraphQL type of a field, and its description. */
type FieldSpec = readonly [type: ReturnTypeFunc, options?: FieldOptions];

const described = new Map<Type<unknown>, ReadonlySet<string>>();

/** Tells whether a field belongs to a class itself; resolvers add others, which only GraphQL has. */
export const isDescribed = (type: Type<unknown>, field: string): boolean =>
  described.get(type)?.has(field) === true;

/**
 * Makes a class of the core an object type of the API. The core knows no GraphQL, so what decorators would state next to
 * each property is stated here; a property that is not named stays private.
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
