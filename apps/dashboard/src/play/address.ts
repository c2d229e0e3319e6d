/** @file What is played, as it is in the address. Pure functions. */

/** An address may be typed by hand: what is no list of texts is none. */
export function readPlayed(text: string | null): readonly string[] {
  if (text === null) return [];
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : [];
  } catch {
    return [];
  }
}

export type Options = Readonly<Record<string, unknown>>;

/** Options in an address; what is no object is none. */
export function readOptions(text: string | null): Options {
  if (text === null) return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Options) : {};
  } catch {
    return {};
  }
}

/** A whole number in an address; undefined: none. */
export const readSeed = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** Options with one changed, at a path; undefined leaves it out, and sections that are empty then. */
export function withOption(options: Options, path: readonly (string | number)[], value: unknown): Options {
  const [key, ...rest] = path;
  if (key === undefined) return typeof value === 'object' && value !== null ? (value as Options) : {};
  const inner = options[key];
  const isRecord = typeof inner === 'object' && inner !== null && !Array.isArray(inner);
  const next = rest.length === 0 ? value : withOption(isRecord ? (inner as Options) : {}, rest, value);
  const others = Object.entries(options).filter(([name]) => name !== String(key));
  const isEmpty = next === undefined || (rest.length > 0 && Object.keys(next as Options).length === 0);
  return Object.fromEntries(isEmpty ? others : [...others, [key, next]]);
}
