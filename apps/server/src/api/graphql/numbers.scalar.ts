import { GraphQLError, GraphQLScalarType } from 'graphql';

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

/** Numbers by name, for what is wanted whole and has many names: one value instead of an object for each. */
export const NumberMapScalar = new GraphQLScalarType<Readonly<Record<string, number | null>>, unknown>({
  name: 'NumberMap',
  description:
    'A JSON object of numbers by name, null for what is not a finite number, such as {"rollout/success_rate": 0.5}.',
  serialize: (value) => value,
  parseValue: () => {
    throw new GraphQLError('read a NumberMap: this type is only given, never taken');
  },
});
