/** @file Which lines of a log are shown: those that were read, then those that are pushed. Pure functions. */

/** Lines that are read at first or found. */
export const read = 500;
/** Lines that are kept while following. */
export const kept = 2000;

export interface Line {
  readonly cursor: number;
  readonly attempt: number | null;
  readonly text: string;
}

/** Lines that were pushed; a reconnect repeats none. */
export function addLines(
  old: readonly Line[],
  records: readonly { readonly cursor: number; readonly attempt: number | null; readonly body: object }[],
): readonly Line[] {
  const last = old.at(-1)?.cursor ?? 0;
  const lines = records.flatMap(({ cursor, attempt, body }) =>
    cursor > last && 'line' in body && typeof body.line === 'string'
      ? [{ cursor, attempt, text: body.line }]
      : [],
  );
  return lines.length === 0 ? old : [...old, ...lines].slice(-kept);
}

/**
 * The newest lines that fit.
 *
 * @param found those that fit, as they were read
 * @param added those that were pushed, whether they fit or not
 * @returns and whether there may be older ones
 */
export function shownLines(
  found: readonly Line[],
  added: readonly Line[],
  { text, attempt }: { readonly text: string; readonly attempt: number | undefined },
): { readonly lines: readonly Line[]; readonly isCut: boolean } {
  const known = found.at(-1)?.cursor ?? 0;
  const fresh = added.filter(
    (line) =>
      line.cursor > known && line.text.includes(text) && (attempt === undefined || line.attempt === attempt),
  );
  const lines = [...found, ...fresh].slice(-kept);
  return { lines, isCut: found.length === read || added.length === kept || lines.length === kept };
}
