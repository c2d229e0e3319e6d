/** @file Numbers and tables in Markdown. */

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
export const points = (share: number): string =>
  `${share >= 0 ? '+' : '−'}${Math.abs(100 * share).toFixed(1)}`;
export const interval = ({ low, high }: { readonly low: number; readonly high: number }): string =>
  `[${(100 * low).toFixed(1)}, ${(100 * high).toFixed(1)}]`;
export const minutes = (value: number): string => value.toFixed(1);
export const short = (value: number): string => String(Number(value.toPrecision(3)));
export const millions = (count: number): string => (count / 1e6).toFixed(2);

/** Writes a table; cells must not hold line breaks. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
