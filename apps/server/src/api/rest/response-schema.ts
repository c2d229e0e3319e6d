/**
 * @file REST response schemas, derived from GraphQL classes and zod schemas. A shape is resolved when the document is
 * built, because classes refer to each other before they exist.
 */
import '../graphql/types/all.js';
import type { Type } from '@nestjs/common';
import { Float, ID, Int, TypeMetadataStorage } from '@nestjs/graphql';
import { z } from 'zod';
import {
  DateTimeScalar,
  JsonScalar,
  NumberMapScalar,
  NumbersScalar,
  SafeIntScalar,
} from '../graphql/scalars.js';
import { PageInfo } from '../../core/database/page.js';
import { isDescribed } from '../graphql/types/describe-type.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The named schemas of a document. */
export type SchemaRegistry = Map<string, JsonSchema>;

/** The schema of a response or of a part of it. */
export type Shape = (registry: SchemaRegistry) => JsonSchema;

/** How the REST form of a class differs from GraphQL. */
export interface DtoOptions {
  /** columns that GraphQL does not have, or in another form */
  readonly also?: Readonly<Record<string, Shape>>;
  /** fields that REST does not have */
  readonly without?: readonly string[];
  /** only these fields */
  readonly only?: readonly string[];
  /** in the document; default: that of the class in GraphQL */
  readonly name?: string;
}

/** The shape of a zod schema's output. */
export const shapeOf =
  (schema: z.ZodType): Shape =>
  () => {
    const { $schema: _version, ...described } = z.toJSONSchema(schema, {
      io: 'output',
      unrepresentable: 'any',
    });
    return described;
  };

/** One of several shapes. */
export const either =
  (...shapes: readonly Shape[]): Shape =>
  (registry) => ({ anyOf: shapes.map((shape) => shape(registry)) });

/** An object with these members, all required. */
export const objectOf =
  (members: Readonly<Record<string, Shape>>): Shape =>
  (registry) => ({
    type: 'object',
    required: Object.keys(members),
    properties: Object.fromEntries(Object.entries(members).map(([name, shape]) => [name, shape(registry)])),
  });

export const arrayOf =
  (item: Shape): Shape =>
  (registry) => ({ type: 'array', items: item(registry) });

/** Text or null. */
export const textOrNull: Shape = () => ({ type: ['string', 'null'] });

/** A page of a list. */
export const pageShape = (item: Shape): Shape =>
  objectOf({ items: arrayOf(item), pageInfo: dtoShape(PageInfo) });

/** DTO options by class; also used where the class is nested. */
const optionsByType = new Map<Type<unknown>, DtoOptions>();

/** The REST shape of a class that GraphQL knows; a named schema in the document. */
export function dtoShape(type: Type<unknown>, dtoOptions?: DtoOptions): Shape {
  if (dtoOptions !== undefined && dtoOptions.name === undefined) optionsByType.set(type, dtoOptions);
  return (registry) => {
    const used = dtoOptions ?? optionsByType.get(type) ?? {};
    const name = used.name ?? metadataOf(type).name;
    if (!registry.has(name)) {
      registry.set(name, {}); // it may contain itself
      registry.set(name, describeClass(type, used, registry));
    }
    return { $ref: `#/components/schemas/${name}` };
  };
}

function metadataOf(type: Type<unknown>) {
  const found = TypeMetadataStorage.getObjectTypesMetadata().find(({ target }) => target === type);
  if (found === undefined) throw new Error(`describe a response: ${type.name} is no GraphQL type`);
  return found;
}

function describeClass(type: Type<unknown>, dtoOptions: DtoOptions, registry: SchemaRegistry): JsonSchema {
  const { properties = [], description } = metadataOf(type);
  const { also = {}, without = [], only } = dtoOptions;
  const fields = properties.filter(
    ({ name }) =>
      isDescribed(type, name) && !without.includes(name) && (only?.includes(name) ?? true) && !(name in also),
  );
  const entries = fields.map(({ name, typeFn, options, description: about }): [string, JsonSchema] => {
    const isList = options.isArray === true;
    const one = describeType(typeFn(), registry);
    const item = isList && options.nullable === 'items' ? orNull(one) : one;
    const whole = isList ? { type: 'array', items: item } : item;
    const schema = options.nullable === true || options.nullable === 'itemsAndList' ? orNull(whole) : whole;
    return [name, about === undefined ? schema : { ...schema, description: about }];
  });
  for (const [name, shape] of Object.entries(also)) entries.push([name, shape(registry)]);
  return {
    type: 'object',
    ...(description === undefined ? {} : { description }),
    required: entries.map(([name]) => name),
    properties: Object.fromEntries(entries),
  };
}

function describeType(type: unknown, registry: SchemaRegistry): JsonSchema {
  if (type === String || type === ID) return { type: 'string' };
  if (type === Boolean) return { type: 'boolean' };
  if (type === Int || type === SafeIntScalar) return { type: 'integer' };
  if (type === Float || type === Number) return { type: 'number' };
  if (type === DateTimeScalar) return { type: 'string', format: 'date-time' };
  if (type === JsonScalar) return {};
  if (type === NumberMapScalar) return { type: 'object', additionalProperties: { type: ['number', 'null'] } };
  if (type === NumbersScalar) return { type: 'array', items: { type: ['number', 'null'] } };
  if (typeof type === 'function') return dtoShape(type as Type<unknown>)(registry);
  return { type: 'string', enum: Object.values(type as Record<string, string>) };
}

function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema;
  if (Object.keys(schema).length === 0) return schema;
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...(values as unknown[]), null] } : {}),
  };
}
