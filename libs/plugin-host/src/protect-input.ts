/**
 * @file Protects inputs from plugin code: objects are frozen, so that a mutation throws where it happens; typed arrays,
 * which cannot be frozen, are passed as copies and compared afterwards.
 */

/** Freezes a value and everything inside it except typed arrays. */
export function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value))
    return value;
  Object.freeze(value);
  for (const entry of Object.values(value)) freezeDeep(entry);
  return value;
}

type Protectable = Readonly<Record<string, unknown>>;
type TypedArray = Float64Array | Float32Array | Int32Array | Uint8Array;

/** An object as a plugin receives it. */
export interface ProtectedInput<T> {
  /** frozen; typed arrays are copies */
  readonly input: T;
  /** Describes the first mutated typed array; undefined when none was mutated. */
  findMutation(): string | undefined;
}

/** Protects an object whose typed arrays are its direct properties. */
export function protectInput<T extends object>(original: T): ProtectedInput<T> {
  const arrays = Object.entries(original).filter((entry): entry is [string, TypedArray] =>
    isTypedArray(entry[1]),
  );
  const copies = new Map(arrays.map(([name, array]) => [name, array.slice()]));
  const input: Protectable = freezeDeep({ ...original, ...Object.fromEntries(copies) });
  return {
    input: input as T,
    findMutation: () => {
      for (const [name, array] of arrays) {
        const copy = copies.get(name);
        const at = array.findIndex((value, index) => !Object.is(value, copy?.[index]));
        if (at >= 0) return `changed "${name}" at index ${at}, which is read-only; work on a copy`;
      }
      return undefined;
    },
  };
}

const isTypedArray = (value: unknown): value is TypedArray =>
  ArrayBuffer.isView(value) && !(value instanceof DataView);
