import { time, toIsoTime } from '@espalier/protocol/bounds';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

/** A moment. Times are numbers (ms since the epoch) inside, ISO 8601 text outside. */
export const DateTimeScalar = new GraphQLScalarType<number, string>({
  name: 'DateTime',
  description: 'A moment in UTC, as ISO 8601 text such as 2026-11-21T13:46:35.123Z.',
  serialize: (value) => toIsoTime(value as number),
  parseValue: (value) => parseMoment(value),
  parseLiteral: (node) => parseMoment(node.kind === Kind.STRING ? node.value : undefined),
});

function parseMoment(value: unknown): number {
  const parsed = time.safeParse(typeof value === 'string' ? Date.parse(value) : Number.NaN);
  if (parsed.success) return parsed.data;
  throw new GraphQLError(
    `read a DateTime: got ${JSON.stringify(value)}; write a moment from 1970 to 2199 as 2026-11-21T13:46:35Z`,
  );
}

/** A whole number beyond 32 bits: byte counts, cursors, seeds. A JSON number, exact up to 2^53 − 1. */
export const SafeIntScalar = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  description: 'A whole number up to 2^53 − 1 as a JSON number: a byte count, a cursor of a history, a seed.',
  serialize: (value) => parseSafeInt(value),
  parseValue: (value) => parseSafeInt(value),
  parseLiteral: (node) => parseSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined),
});

function parseSafeInt(value: unknown): number {
  if (Number.isSafeInteger(value)) return value as number;
  throw new GraphQLError(
    `read a SafeInt: got ${JSON.stringify(value)}; write a whole number between -(2^53 - 1) and 2^53 - 1`,
  );
}

/** Any JSON value, for what plugins define. */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value; used where plugins decide what stands there, such as a run’s spec.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node) => fromLiteral(node),
});

function fromLiteral(node: ValueNode): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.LIST:
      return node.values.map(fromLiteral);
    case Kind.OBJECT:
      return Object.fromEntries(node.fields.map((field) => [field.name.value, fromLiteral(field.value)]));
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      throw new GraphQLError(
        'read a JSON literal: variables inside are not supported; pass the whole value as one variable',
      );
  }
}

/**
 * A column of numbers. One scalar instead of a list of Floats: executing a list costs per number and per subscriber,
 * which is what live metrics cannot afford.
 */
export const NumbersScalar = new GraphQLScalarType<readonly (number | null)[], unknown>({
  name: 'Numbers',
  description:
    'A column: a JSON array of numbers, with null for what is no number, such as [0.1, null, 0.3].',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('read Numbers: this type is only given, never taken');
  },
});

/** Numbers by name: one value instead of an object for each of many names. */
export const NumberMapScalar = new GraphQLScalarType<Readonly<Record<string, number | null>>, unknown>({
  name: 'NumberMap',
  description:
    'A JSON object of numbers by name, null for what is not a finite number, such as {"rollout/success_rate": 0.5}.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('read a NumberMap: this type is only given, never taken');
  },
});
