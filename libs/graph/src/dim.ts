/**
 * @file Axis sizes: integers, or polynomials over named sizes such as `B*T` or `P+T`. Named sizes have one canonical
 * form, so equal sizes print equally and can be compared. For shapes see shape.ts; for run-time values onnx/, evaluate.ts.
 */
import { AppError } from '@espalier/contracts';

/** One product of names with an integer coefficient: `2*B*T` is `{ coefficient: 2, names: ['B', 'T'] }`. */
export interface Monomial {
  readonly coefficient: number;
  readonly names: readonly string[];
}

/** A size known only by name until a graph runs; immutable, compared by its canonical `key`. */
export class NamedSize {
  readonly key: string;
  constructor(readonly terms: readonly Monomial[]) {
    this.key = terms.map(printMonomial).join('+').replaceAll('+-', '-');
  }
  toString(): string {
    return this.key;
  }
}

/** The size of one axis. */
export type Dim = number | NamedSize;

function printMonomial({ coefficient, names }: Monomial): string {
  if (names.length === 0) return String(coefficient);
  if (coefficient === 1) return names.join('*');
  if (coefficient === -1) return `-${names.join('*')}`;
  return `${coefficient}*${names.join('*')}`;
}

/** Names a size: a letter, then letters, digits or underscores. */
export function dim(name: string): Dim {
  if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(name)) {
    throw new AppError(
      'graph.invalid_size',
      `size "${name}": not a name; expected a letter, then letters, digits or underscores`,
    );
  }
  return new NamedSize([{ coefficient: 1, names: [name] }]);
}

/** The terms of a size; a number is one term without names, zero has no terms. */
export function termsOf(size: Dim): readonly Monomial[] {
  if (typeof size !== 'number') return size.terms;
  return size === 0 ? [] : [{ coefficient: size, names: [] }];
}

function fromTerms(terms: readonly Monomial[]): Dim {
  const byNames = new Map<string, Monomial>();
  for (const { coefficient, names } of terms) {
    const key = names.join('*');
    byNames.set(key, { coefficient: (byNames.get(key)?.coefficient ?? 0) + coefficient, names });
  }
  const kept = [...byNames.entries()].filter(([, term]) => term.coefficient !== 0);
  if (kept.length === 0) return 0;
  if (kept.length === 1 && kept[0]?.[0] === '') return kept[0][1].coefficient;
  kept.sort(([a, x], [b, y]) => y.names.length - x.names.length || (a < b ? -1 : 1));
  return new NamedSize(kept.map(([, term]) => term));
}

/** Whether all sizes are numbers, known before a graph runs. */
export const isFixed = (sizes: readonly Dim[]): sizes is readonly number[] =>
  sizes.every((size) => typeof size === 'number');

/** Adds sizes. */
export function dimSum(...sizes: readonly Dim[]): Dim {
  if (isFixed(sizes)) return sizes.reduce((a, b) => a + b, 0);
  return fromTerms(sizes.flatMap(termsOf));
}

/** Subtracts the second size from the first. */
export function dimDifference(a: Dim, b: Dim): Dim {
  return dimSum(a, dimProduct(-1, b));
}

/** Multiplies sizes. */
export function dimProduct(...sizes: readonly Dim[]): Dim {
  if (isFixed(sizes)) return sizes.reduce((a, b) => a * b, 1);
  return sizes.reduce<Dim>((left, right) => {
    const terms: Monomial[] = [];
    for (const a of termsOf(left)) {
      for (const b of termsOf(right)) {
        terms.push({ coefficient: a.coefficient * b.coefficient, names: [...a.names, ...b.names].sort() });
      }
    }
    return fromTerms(terms);
  }, 1);
}

/** Divides a size by a number or by a single product of names; undefined where the division is not exact. */
export function dimQuotient(a: Dim, b: Dim): Dim | undefined {
  const divisor = termsOf(b);
  const only = divisor[0];
  if (divisor.length !== 1 || only === undefined) return isSameDim(a, b) && b !== 0 ? 1 : undefined;
  const terms: Monomial[] = [];
  for (const term of termsOf(a)) {
    const names = [...term.names];
    for (const name of only.names) {
      const at = names.indexOf(name);
      if (at < 0) return undefined;
      names.splice(at, 1);
    }
    if (term.coefficient % only.coefficient !== 0) return undefined;
    terms.push({ coefficient: term.coefficient / only.coefficient, names });
  }
  return fromTerms(terms);
}

/** Whether two sizes are equal for every value of their names. */
export function isSameDim(a: Dim, b: Dim): boolean {
  return a === b || String(a) === String(b);
}

/** The value of a size, given values of its names; throws `graph.unbound_size` for a name without one. */
export function resolveDim(size: Dim, numbers: ReadonlyMap<string, number>): number {
  if (typeof size === 'number') return size;
  let total = 0;
  for (const { coefficient, names } of size.terms) {
    let product = coefficient;
    for (const name of names) {
      const value = numbers.get(name);
      if (value === undefined) {
        throw new AppError(
          'graph.unbound_size',
          `size ${size.key}: "${name}" has no value; some input must have an axis of exactly that size`,
        );
      }
      product *= value;
    }
    total += product;
  }
  return total;
}
