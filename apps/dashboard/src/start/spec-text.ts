/** @file The text of a spec: where it begins from, and changes that keep its comments. */
import { type Document, isMap, isScalar, parse, parseDocument, stringify } from 'yaml';

/** What was written, with its overrides; without a text the whole resolved spec. */
export function toStartText(
  source: string | null,
  overrides: readonly string[],
  spec: Readonly<Record<string, unknown>>,
): string {
  if (source === null) return stringify(spec);
  return overrides.reduce((text, override) => {
    const at = override.indexOf('=');
    return setOption(text, override.slice(0, at).split('.'), parseValue(override.slice(at + 1)));
  }, source);
}

function parseValue(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Sets an option, or removes it with undefined; comments and order stay. A text that does not parse stays as it is. */
export function setOption(text: string, path: readonly (string | number)[], value: unknown): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  if (document.contents === null || !isMap(document.contents))
    document.contents = document.createNode({}) as never;
  // nodes of a list are found by number
  const at = path.map((key) => (typeof key === 'string' && /^\d+$/.test(key) ? Number(key) : key));
  const present = document.getIn(at, true);
  if (value === undefined) remove(document, at);
  else if (isScalar(present) && typeof value !== 'object') present.value = value;
  else document.setIn(at, document.createNode(value, { flow: Array.isArray(value) }));
  return String(document);
}

/** A mapping that becomes empty goes, too. */
function remove(document: Document, path: readonly (string | number)[]): void {
  document.deleteIn(path);
  for (let end = path.length - 1; end > 0; end--) {
    const outer = document.getIn(path.slice(0, end));
    if (!isMap(outer) || outer.items.length > 0) return;
    document.deleteIn(path.slice(0, end));
  }
}

/** The value of a text; undefined while it does not parse. */
export function readSpec(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = parse(text, { maxAliasCount: 0 });
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : value === null || value === undefined
        ? {}
        : undefined;
  } catch {
    return undefined;
  }
}

export interface Change {
  readonly path: string;
  readonly value: string;
}

/** Changes of a fork as the server takes them. */
export const overridesOf = (changes: readonly Change[]): string[] =>
  changes
    .filter(({ path, value }) => path.trim() !== '' && value.trim() !== '')
    .map(({ path, value }) => `${path.trim()}=${value.trim()}`);

/** Every option of a spec by its path, its value as it would be typed. */
export function changesOf(value: unknown, path = ''): [string, string][] {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return [[path, JSON.stringify(value) ?? '']];
  return Object.entries(value).flatMap(([name, inner]) =>
    changesOf(inner, path === '' ? name : `${path}.${name}`),
  );
}
