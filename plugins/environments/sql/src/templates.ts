/** @file Tasks made from patterns, filled with values of a database. */
import type { RandomStream } from '@espalier/plugin-kit';
import type { Cell, Row } from './cells.js';
import { literal } from './database.js';
import type { Task } from './task.js';

/** A pattern of tasks. `{0}` is a value in a question, and a literal in a statement. */
export interface Template {
  readonly question: string;
  readonly query?: string;
  readonly change?: readonly string[];
  /** a statement whose rows are the values */
  readonly values?: string;
}

/** Fills a pattern with the values of a row. */
export function fillTemplate(template: Template, values: Row): Task {
  const { question, query, change = [] } = template;
  const filled = fill(question, values, (value) => String(value));
  const statements = query === undefined ? change : [query];
  return {
    name: filled,
    kind: query === undefined ? 'change' : 'query',
    question: filled,
    reference: statements.map((statement) => fill(statement, values, literal)),
  };
}

/** Draws a pattern of one of the kinds, and values for it. */
export function drawTask(
  templates: readonly Template[],
  rowsOf: (statement: string) => readonly Row[],
  stream: RandomStream,
): Task | undefined {
  const template = stream.pick(templates);
  const rows = template.values === undefined ? [[]] : rowsOf(template.values);
  return rows.length === 0 ? undefined : fillTemplate(template, stream.pick(rows));
}

/** The patterns of some kinds. */
export function templatesOf(templates: readonly Template[], kinds: 'both' | 'query' | 'change'): Template[] {
  return templates.filter(
    ({ query }) => kinds === 'both' || kinds === (query === undefined ? 'change' : 'query'),
  );
}

function fill(text: string, values: Row, write: (value: Cell) => string): string {
  return text.replace(/\{(\d)\}/g, (_whole, place: string) => write(values[Number(place)] ?? null));
}
