/** @file The JSON of OTLP: 64-bit integers are decimal text, ids hexadecimal. */

type Value = string | number | boolean;

/** Attributes from a record; what is undefined is left out. */
export function attributes(values: Readonly<Record<string, Value | undefined>>): object[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined || (typeof value === 'number' && !Number.isFinite(value))
      ? []
      : [{ key, value: typed(value) }],
  );
}

function typed(value: Value): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** A time as nanoseconds since the epoch. @param time ms since the epoch */
export const nanos = (time: number): string => String(BigInt(Math.round(time * 1000)) * 1000n);
