/**
 * @file Searches and searched texts in one normal form for both databases: lower-case words of letters and digits;
 * everything else separates words.
 */

/** Normalizes a text to its words, separated by single spaces. */
export function normalizeText(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A phrase that must occur, or must not. */
interface SearchTerm {
  readonly words: string;
  readonly isExcluded: boolean;
}

/**
 * Parses a search: all words must occur, in any order; `"several words"` in this order; a minus excludes. No text is
 * invalid; one without any word has no terms.
 */
export function parseSearch(text: string): SearchTerm[] {
  const terms: SearchTerm[] = [];
  for (const [, minus, quoted, plain] of text.matchAll(/(?<![^\s"])(-?)(?:"([^"]*)"?|([^\s"]+))/g)) {
    const words = normalizeText(quoted ?? plain ?? '');
    if (words !== '') terms.push({ words, isExcluded: minus === '-' });
  }
  return terms;
}

/** Formats terms as a query of FTS5, within some runs; undefined: in all. */
export function toFts5(runIds: readonly string[] | undefined, terms: readonly SearchTerm[]): string {
  const quote = ({ words }: SearchTerm) => `text : "${words}"`;
  const required = terms.filter(({ isExcluded }) => !isExcluded).map(quote);
  const excluded = terms.filter(({ isExcluded }) => isExcluded).map((term) => ` NOT ${quote(term)}`);
  const runs = (runIds ?? []).map((runId) => `run : "${runWord(runId)}"`).join(' OR ');
  const all = [...(runs === '' ? [] : [`(${runs})`]), ...required];
  return `(${all.join(' AND ')})${excluded.join('')}`;
}

/** Formats terms for PostgreSQL's websearch_to_tsquery. */
export function toWebSearch(terms: readonly SearchTerm[]): string {
  return terms.map(({ words, isExcluded }) => `${isExcluded ? '-' : ''}"${words}"`).join(' ');
}

/** The id of a run as one word of the index. */
export function runWord(runId: string): string {
  return Buffer.from(runId).toString('hex');
}
