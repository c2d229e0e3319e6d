/**
 * Writes rows as lines whose columns begin below each other.
 *
 * @param numbers the first column of numbers, which end below each other; the rest do, too
 */
export function alignColumns(rows: readonly (readonly string[])[], numbers = Infinity): string[] {
  const count = Math.max(0, ...rows.map(({ length }) => length));
  const widths = Array.from({ length: count }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return column < numbers ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
