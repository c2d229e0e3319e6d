/** @file Conditions on trajectories as SQL, for both databases. The table has the alias `t`. */
import type { EntityManager } from 'typeorm';
import { isPostgres, runSql } from '../../database/run-sql.js';
import { parseSearch, toFts5, toWebSearch } from './search-terms.js';
import type { TrajectoryFilter } from './trajectory-request.js';

/** Parts of a WHERE clause with their values. */
class Conditions {
  readonly parts: string[] = [];
  readonly values: unknown[] = [];

  add(part: string, ...values: readonly unknown[]): this {
    this.parts.push(part);
    this.values.push(...values);
    return this;
  }

  get clause(): string {
    return this.parts.join(' AND ');
  }
}

/** Whether a condition on text is for some rows in an order, or for all of them. */
type Purpose = 'page' | 'count';

/** Up to so many matches are joined to their rows; with more, rows are tested in order until a page is full. */
const fewMatches = 2000;

/** Converts a filter to conditions. */
export async function toConditions(
  manager: EntityManager,
  runId: string,
  filter: TrajectoryFilter,
  purpose: Purpose,
): Promise<Conditions> {
  const conditions = new Conditions().add('t."runId" = ?', runId);
  const compare = (part: string, value: unknown): void => {
    if (value !== undefined) conditions.add(part, value);
  };
  if (filter.superseded !== true) conditions.add('t.superseded = ?', false);
  compare('t.step >= ?', filter.fromStep);
  compare('t.step <= ?', filter.toStep);
  compare('t.environment = ?', filter.environment);
  compare('t.split = ?', filter.split);
  compare('t.group_index = ?', filter.group);
  compare('t.reward >= ?', filter.minReward);
  compare('t.reward <= ?', filter.maxReward);
  compare('t.success = ?', filter.success);
  compare('t."stopReason" = ?', filter.stopReason);
  compare('t.kept = ?', filter.kept);
  if (filter.text !== undefined && filter.text !== '')
    await addText(manager, conditions, runId, filter.text, purpose);
  return conditions;
}

/** The unary plus makes SQLite use the index of the order and test each row against the matches. */
async function addText(
  manager: EntityManager,
  conditions: Conditions,
  runId: string,
  text: string,
  purpose: Purpose,
): Promise<void> {
  const terms = parseSearch(text);
  if (terms.length === 0) {
    const position = isPostgres(manager) ? 'strpos(t.text, ?)' : 'instr(t.text, ?)';
    conditions.add(`${position} > 0`, text);
  } else if (isPostgres(manager))
    await addPostgresText(manager, conditions, runId, toWebSearch(terms), purpose);
  else
    conditions.add(
      '+t."searchKey" IN (SELECT rowid FROM trajectory_search WHERE trajectory_search MATCH ?)',
      toFts5(runId, terms),
    );
}

/** PostgreSQL cannot estimate how many match and would plan badly, so the matches are counted first. */
async function addPostgresText(
  manager: EntityManager,
  conditions: Conditions,
  runId: string,
  search: string,
  purpose: Purpose,
): Promise<void> {
  const matches = `SELECT s.cursor FROM trajectory_search s WHERE s."runId" = ? AND s.document @@ websearch_to_tsquery('simple', ?)`;
  if (purpose === 'page') {
    const values = [runId, search];
    const found = await runSql<{ cursor: string }>(manager, `${matches} LIMIT ${fewMatches + 1}`, values);
    if (found.length <= fewMatches)
      conditions.add(
        't.cursor = ANY(?::bigint[])',
        found.map(({ cursor }) => cursor),
      );
    else
      conditions.add(
        `(SELECT s.document @@ websearch_to_tsquery('simple', ?) FROM trajectory_search s
         WHERE s."runId" = t."runId" AND s.cursor = t.cursor)`,
        search,
      );
  } else conditions.add(`t.cursor IN (${matches})`, runId, search);
}
