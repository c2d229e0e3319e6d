/**
 * @file Schemas of REST responses, in zod. Those of classes that GraphQL knows are derived from their description there;
 * lazily, because classes refer to each other before they exist.
 */
import '../../graphql/types/all.js';
import type { Type } from '@nestjs/common';
import { Float, ID, Int, TypeMetadataStorage } from '@nestjs/graphql';
import { z } from 'zod';
import {
  DateTimeScalar,
  JsonScalar,
  NumberMapScalar,
  NumbersScalar,
  SafeIntScalar,
} from '../../graphql/scalars.js';
import { PageInfo } from '../../../core/database/page.js';
import { isDescribed } from '../../graphql/types/describe-type.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** How the REST form of a class differs from GraphQL. */
export interface DtoOptions {
  /** columns that GraphQL does not have, or in another form */
  readonly also?: Readonly<Record<string, z.ZodType>>;
  /** fields that REST does not have */
  readonly without?: readonly string[];
  /** only these fields */
  readonly only?: readonly string[];
  /** in the document; default: that of the class in GraphQL */
  readonly name?: string;
}

interface Dto {
  readonly type: Type<unknown>;
  /** refers to what the class is described by */
  readonly reference: z.ZodType;
  options: DtoOptions;
  described?: z.ZodType;
}

/** By their own name, or by class: also where the class is nested. */
const dtos = new Map<string | Type<unknown>, Dto>();

/** The REST schema of a class that GraphQL knows; a named schema in the document. */
export function dtoSchema(type: Type<unknown>, options?: DtoOptions): z.ZodType {
  const key = options?.name ?? type;
  const known = dtos.get(key);
  if (known !== undefined) {
    known.options = options ?? known.options;
    return known.reference;
  }
  const dto: Dto = { type, reference: z.lazy(() => describeDto(dto)), options: options ?? {} };
  dtos.set(key, dto);
  return dto.reference;
}

/** A page of a list. */
export const pageSchema = (item: z.ZodType): z.ZodType =>
  z.object({ items: z.array(item), pageInfo: dtoSchema(PageInfo) });

/**
 * Converts responses to JSON Schema.
 *
 * @param responses by a name that no class has
 * @returns by these names; and the classes that they refer to, by name
 */
export function toResponseSchemas(responses: ReadonlyMap<string, z.ZodType>): {
  readonly ofResponses: Readonly<Record<string, JsonSchema>>;
  readonly ofClasses: Readonly<Record<string, JsonSchema>>;
} {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of responses)
    registry.add(
      z.lazy(() => schema),
      { id },
    );
  // classes within a class join the iteration when it is described
  for (const dto of dtos.values())
    registry.add(describeDto(dto), { id: dto.options.name ?? metadataOf(dto.type).name });
  const { schemas } = z.toJSONSchema(registry, {
    io: 'output',
    unrepresentable: 'any',
    uri: (id) => `#/components/schemas/${id}`,
    override: ({ jsonSchema }) => {
      // later versions may add members
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  const all = Object.entries(schemas).map(([name, { $schema: _version, $id: _uri, ...described }]) => [
    name,
    described,
  ]);
  return {
    ofResponses: Object.fromEntries(all.filter(([name]) => responses.has(name as string))),
    ofClasses: Object.fromEntries(all.filter(([name]) => !responses.has(name as string))),
  };
}

function metadataOf(type: Type<unknown>) {
  const found = TypeMetadataStorage.getObjectTypesMetadata().find(({ target }) => target === type);
  if (found === undefined) throw new Error(`describe a response: ${type.name} is no GraphQL type`);
  return found;
}

const describeDto = (dto: Dto): z.ZodType => (dto.described ??= describeClass(dto));

function describeClass({ type, options: { also = {}, without = [], only } }: Dto): z.ZodType {
  const { properties = [], description } = metadataOf(type);
  const fields = properties.filter(
    ({ name }) =>
      isDescribed(type, name) && !without.includes(name) && (only?.includes(name) ?? true) && !(name in also),
  );
  const shape = fields.map(({ name, typeFn, options: { isArray, nullable }, description: about }) => {
    const one = schemaOf(typeFn());
    const item = isArray === true && nullable === 'items' ? one.nullable() : one;
    const whole = isArray === true ? z.array(item) : item;
    const schema = nullable === true || nullable === 'itemsAndList' ? whole.nullable() : whole;
    return [name, about === undefined ? schema : schema.describe(about)] as const;
  });
  const schema = z.object({ ...Object.fromEntries(shape), ...also });
  return description === undefined ? schema : schema.describe(description);
}

function schemaOf(type: unknown): z.ZodType {
  if (type === String || type === ID) return z.string();
  if (type === Boolean) return z.boolean();
  if (type === Int || type === SafeIntScalar) return z.int();
  if (type === Float || type === Number) return z.number();
  if (type === DateTimeScalar) return z.string().meta({ format: 'date-time' });
  if (type === JsonScalar) return z.unknown();
  if (type === NumberMapScalar) return z.record(z.string(), z.number().nullable());
  if (type === NumbersScalar) return z.array(z.number().nullable());
  if (typeof type === 'function') return dtoSchema(type as Type<unknown>);
  return z.enum(type as Record<string, string>);
}
