/** @file Markdown of what the programs printed: a table for each kind of figure, with a column for each of its numbers. */
import { row } from '../markdown.mjs';

/** @param results `{ title, rows, failure }` of each program */
export function renderTables(results) {
  return results.map(({ title, rows, failure }) => section(title, rows, failure)).join('\n\n');
}

function section(title, rows, failure) {
  const said = failure === undefined ? [] : [`Incomplete: ${failure}`];
  const kinds = groupBy(rows, keysOf);
  return [`## ${title}`, ...said, ...[...kinds.values()].map(table)].join('\n\n');
}

/** Rows with the same names belong into one table. */
const keysOf = (figure) => Object.keys(figure).join();

function table(figures) {
  const names = Object.keys(figures[0]);
  return [
    row(...names),
    row(...names.map(() => '---')),
    ...figures.map((figure) => row(...names.map((name) => cell(figure[name])))),
  ].join('\n');
}

function cell(value) {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)));
  return Array.isArray(value) ? countWords(value) : value;
}

/** Operators that were left to the CPU are many and repeat: each is named once, with its number. */
function countWords(values) {
  if (!values.every((value) => typeof value === 'string')) return JSON.stringify(values);
  const counts = new Map();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} ${name}`)).join(', ');
}

function groupBy(figures, key) {
  const groups = new Map();
  for (const figure of figures) groups.set(key(figure), [...(groups.get(key(figure)) ?? []), figure]);
  return groups;
}
