/** @file Conditions on trajectories as SQL, for both databases. The table goes by the name `t`. */
import type { EntityManager } from 'typeorm';
import { isPostgres } from '../database/run-sql.js';
import { parseSearch, toFts5, toWebSearch } from './search-terms.js';
import type { TrajectoryFilter } from './trajectory-request.js';

/** Parts of a WHERE clause with their values. */
export class Conditions {
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

/** Writes a filter as conditions. */
export function toConditions(manager: EntityManager, runId: string, filter: TrajectoryFilter): Conditions {
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
  if (filter.text !== undefined && filter.text !== '') addText(manager, conditions, runId, filter.text);
  return conditions;
}

/** The unary plus keeps SQLite on the index that gives the order, where it tests each row against the matches. */
function addText(manager: EntityManager, conditions: Conditions, runId: string, text: string): void {
  const terms = parseSearch(text);
  if (terms.length === 0) {
    const position = isPostgres(manager) ? 'strpos(t.text, ?)' : 'instr(t.text, ?)';
    conditions.add(`${position} > 0`, text.replaceAll('\0', '\uFFFD'));
  } else if (isPostgres(manager))
    conditions.add(
      `EXISTS (SELECT 1 FROM trajectory_search s WHERE s."runId" = t."runId" AND s.cursor = t.cursor
       AND s.document @@ websearch_to_tsquery('simple', ?))`,
      toWebSearch(terms),
    );
  else
    conditions.add(
      '+t."searchKey" IN (SELECT rowid FROM trajectory_search WHERE trajectory_search MATCH ?)',
      toFts5(runId, terms),
    );
}
