/**
 * @file What people type into a search, and the texts they search, in one normal form for both databases: words of
 * letters and digits, lower case; everything else only separates words.
 */

/** Gives the words of a text, separated by single spaces. */
export function normalizeText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A run of words that must stand in this order, or must not occur. */
export interface SearchTerm {
  readonly words: string;
  readonly isExcluded: boolean;
}

/**
 * Reads a search: all words must occur, in any order; `"several words"` in this order; a minus excludes. No text is
 * an error; one without any word gives no terms.
 */
export function parseSearch(text: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (const [, minus, quoted, plain] of text.matchAll(/(?<![^\s"])(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const words = normalizeText(quoted ?? plain ?? '');
    if (words !== '') terms.push({ words, isExcluded: minus === '-' });
  }
  return terms;
}

/** Writes terms as a query of FTS5, within one run. */
export function toFts5(runId: string, terms: readonly SearchTerm[]): string {
  const quote = ({ words }: SearchTerm) => `text : "${words}"`;
  const wanted = terms.filter(({ isExcluded }) => !isExcluded).map(quote);
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map((term) => ` NOT ${quote(term)}`);
  return `(${[`run : "${runWord(runId)}"`, ...wanted].join(' AND ')})${excluded.join('')}`;
}

/** Writes terms for PostgreSQL's websearch_to_tsquery. */
export function toWebSearch(terms: readonly SearchTerm[]): string {
  return terms.map(({ words, isExcluded }) => `${isExcluded ? '-' : ''}"${words}"`).join(' ');
}

/** The id of a run as one word of the index. */
export function runWord(runId: string): string {
  return Buffer.from(runId).toString('hex');
}
