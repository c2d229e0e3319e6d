/** @file Markdown of what the programs printed: a table for each kind of figure, with a column for each of its numbers. */

/** @param results `{ title, rows, failure }` of each program */
export function renderTables(results) {
  return results.map(({ title, rows, failure }) => section(title, rows, failure)).join('\n\n');
}

function section(title, rows, failure) {
  const said = failure === undefined ? [] : [`Not whole: ${failure}`];
  const kinds = groupBy(rows, keysOf);
  return [`## ${title}`, ...said, ...[...kinds.values()].map(table)].join('\n\n');
}

/** Rows with the same names belong into one table. */
const keysOf = (row) => Object.keys(row).join();

function table(rows) {
  const names = Object.keys(rows[0]);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(names),
    line(names.map(() => '---')),
    ...rows.map((row) => line(names.map((name) => cell(row[name])))),
  ].join('\n');
}

function cell(value) {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  if (Array.isArray(value)) return countWords(value);
  return String(value ?? '').replaceAll('|', '\\|');
}

/** Operators that were left to the CPU are many and repeat: each is named once, with its number. */
function countWords(values) {
  if (!values.every((value) => typeof value === 'string'))
    return JSON.stringify(values).replaceAll('|', '\\|');
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} ${name}`)).join(', ');
}

function groupBy(rows, key) {
  const groups = new Map();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return groups;
}
