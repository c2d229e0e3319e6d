/**
 * @file What plugin code is given, so that it cannot change what others rely on: objects are frozen, which makes a
 * change an error at the line that tries it; number arrays, which cannot be frozen, are lent as copies and compared.
 */

/** Freezes a value and everything inside it, number arrays left out. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return value;
  Object.freeze(value);
  for (const entry of Object.values(value)) freezeDeep(entry);
  return value;
}

type Lendable = Readonly<Record<string, unknown>>;
type Numbers = Float64Array | Float32Array | Int32Array | Uint8Array;

/** An object as a plugin gets it. */
export interface Loan<T> {
  /** frozen; number arrays are copies */
  readonly given: T;
  /** Names the first number array that was changed meanwhile; undefined when all are as they were. */
  findChange(): string | undefined;
}

/** Lends an object whose number arrays lie directly in it. */
export function lend<T extends object>(owned: T): Loan<T> {
  const arrays = Object.entries(owned).filter((entry): entry is [string, Numbers] => isNumbers(entry[1]));
  const copies = new Map(arrays.map(([name, array]) => [name, array.slice()]));
  const given: Lendable = freezeDeep({ ...owned, ...Object.fromEntries(copies) });
  return {
    given: given as T,
    findChange: () => {
      for (const [name, array] of arrays) {
        const copy = copies.get(name);
        const at = array.findIndex((value, index) => !Object.is(value, copy?.[index]));
        if (at >= 0)
          return `changed "${name}" at place ${at}, which it was only given to read; work on a copy`;
      }
      return undefined;
    },
  };
}

const isNumbers = (value: unknown): value is Numbers =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);
