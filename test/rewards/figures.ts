/** @file Precision and recall, and the tables of the READMEs that show them. */

/** What a rule found in a text beside what is marked in it. */
export interface Count {
  readonly found: number;
  readonly marked: number;
  readonly both: number;
}

/** Precision and recall over texts, as a cell of a table. */
export function cellOf<Text>(rule: (text: Text) => Count, texts: readonly Text[]): string {
  const counts = texts.map(rule);
  const sum = (name: keyof Count): number => counts.reduce((total, one) => total + one[name], 0);
  const [found, marked, both] = [sum('found'), sum('marked'), sum('both')];
  const share = (whole: number): string => (whole === 0 ? '–' : (both / whole).toFixed(2));
  // a rule that is to find nothing, and finds nothing, has no figures
  return found + marked === 0 ? '–' : `${marked} marked, precision ${share(found)}, recall ${share(marked)}`;
}

/** A table as the formatter of this repository aligns it. */
export function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head = [], ...body] = rows;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n');
}

const [begin, end] = ['<!-- measured -->', '<!-- end of measured -->'];

/** A README with another table between its two marks. */
export function withTable(readme: string, table: string): string {
  const [before, after] = [readme.split(begin)[0], readme.split(end)[1]];
  if (before === undefined || after === undefined) throw new Error(`a README has no ${begin} … ${end}`);
  return `${before}${begin}\n\n${table}\n\n${end}${after}`;
}
