/** @file Where the values of a dimension lie on an axis, from 0 to 1. Pure functions. */
import type { Dimension } from './selection.js';

export interface Scale {
  /** undefined: there is no value */
  place(value: number | string | null | undefined): number | undefined;
  /** the value at a place of a scale of numbers */
  valueAt(place: number): number;
  /** what is written beside it, with its place */
  readonly ticks: readonly { readonly place: number; readonly value: number | string }[];
  readonly isLogarithmic: boolean;
}

/** Numbers that span three powers of ten are on a logarithmic scale; values that are no numbers stand at equal distances. */
export function scaleOf({ values, isNumeric }: Pick<Dimension, 'values' | 'isNumeric'>): Scale {
  if (!isNumeric)
    return categories([...new Set(values.filter((value) => value !== null).map(String))].sort());
  const numbers = values.filter(
    (value): value is number => typeof value === 'number' && Number.isFinite(value),
  );
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  if (numbers.length === 0) return categories([]);
  const isLogarithmic = low > 0 && high / low >= 1000;
  const [toLine, fromLine] = isLogarithmic ? [Math.log, Math.exp] : [identity, identity];
  const [begin, span] = [toLine(low), toLine(high) - toLine(low)];
  const place = (value: number): number => (span === 0 ? 0.5 : (toLine(value) - begin) / span);
  const valueAt = (at: number): number => fromLine(begin + at * span);
  const few = [...new Set(numbers)].sort((a, b) => a - b);
  const marked = few.length <= 5 ? few : [0, 0.25, 0.5, 0.75, 1].map(valueAt);
  return {
    place: (value) => (typeof value === 'number' && Number.isFinite(value) ? place(value) : undefined),
    valueAt,
    ticks: marked.map((value) => ({ place: place(value), value })),
    isLogarithmic,
  };
}

const identity = (value: number): number => value;

function categories(names: readonly string[]): Scale {
  const place = (at: number): number => (names.length < 2 ? 0.5 : at / (names.length - 1));
  return {
    place: (value) => {
      const at = value === null || value === undefined ? -1 : names.indexOf(String(value));
      return at < 0 ? undefined : place(at);
    },
    valueAt: () => Number.NaN,
    ticks: names.map((value, at) => ({ place: place(at), value })),
    isLogarithmic: false,
  };
}
