/** @file Names of the columns of an evaluation: the environment, and what tells it from another column of it. */
import { findDifferences } from '@espalier/report';

interface UnnamedColumn {
  /** tag, or environment */
  readonly wanted: string;
  /** the options that decide what is measured */
  readonly options: Readonly<Record<string, unknown>>;
}

/** A name says no more than so many options. */
const mostOptions = 3;

/** Gives each column a name of its own: `bandit`, or `bandit (maxResponseTokens 64)` beside one with other options. */
export function nameColumns(columns: readonly UnnamedColumn[]): string[] {
  const names = columns.map((column) => {
    const alike = columns.filter(({ wanted }) => wanted === column.wanted);
    if (alike.length === 1) return column.wanted;
    const own = alike.indexOf(column);
    const words = findDifferences(alike.map(({ options }) => options)).map(
      ({ path, values }) => `${path.split('.').at(-1)} ${JSON.stringify(values[own]) ?? 'not set'}`,
    );
    const rest = words.length > mostOptions ? ', …' : '';
    return words.length === 0
      ? column.wanted
      : `${column.wanted} (${words.slice(0, mostOptions).join(', ')}${rest})`;
  });
  // what differs may be the prompt as it was written
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let n = 2; taken.has(own); n++) own = `${name} ${n}`;
    taken.add(own);
    return own;
  });
}
