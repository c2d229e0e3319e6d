/** @file Conditions on trajectories as SQL, for both databases. The table has the alias `t`. */
import { AppError } from '@espalier/contracts';
import type { EntityManager } from 'typeorm';
import { containing, isPostgres, runSql } from '../../database/run-sql.js';
import { parseSearch, toFts5, toWebSearch } from './search-terms.js';
import type { TrajectorySearch } from './trajectory-request.js';

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
    return this.parts.join(' AND ') || '1 = 1';
  }
}

/** Whether a condition on text is for some rows in an order, or for all of them. */
type Purpose = 'page' | 'count';

/** Up to so many matches are joined to their rows; with more, rows are tested in order until a page is full. */
const fewMatches = 2000;

/** Which trajectories: those that match, of runs in these projects; undefined: in all. */
export interface TrajectoryScope extends TrajectorySearch {
  readonly projects?: readonly string[] | undefined;
}

/** Converts a filter to conditions. */
export async function toConditions(
  manager: EntityManager,
  filter: TrajectoryScope,
  purpose: Purpose,
): Promise<Conditions> {
  const conditions = new Conditions();
  const runIds = addRuns(manager, conditions, filter, purpose);
  const compare = (part: string, value: unknown): void => {
    if (value !== undefined) conditions.add(part, value);
  };
  if (filter.superseded !== true) conditions.add('t.superseded = ?', false);
  compare('t.step >= ?', filter.fromStep);
  compare('t.step <= ?', filter.toStep);
  compare('t.environment = ?', filter.environment);
  compare('t."environmentTag" = ?', filter.environmentTag);
  compare('t.split = ?', filter.split);
  compare('t.group_index = ?', filter.group);
  compare('t.reward >= ?', filter.minReward);
  compare('t.reward <= ?', filter.maxReward);
  compare('t.success = ?', filter.success);
  compare('t."stopReason" = ?', filter.stopReason);
  if (filter.label !== undefined)
    conditions.add(containing(manager, 't.labels'), JSON.stringify(filter.label));
  compare('t.kept = ?', filter.kept);
  compare('t.outcome = ?', filter.outcome);
  if (filter.dropReason !== undefined)
    conditions.add(containing(manager, 't.dropped'), `"reason":${JSON.stringify(filter.dropReason)}`);
  if (filter.masked !== undefined)
    conditions.add(`t."lossTokens" ${filter.masked ? '<' : '='} t."sampledTokens"`);
  if (filter.clipped !== undefined) conditions.add(`t."clippedTokens" ${filter.clipped ? '>' : '='} 0`);
  compare('t.turns >= ?', filter.minTurns);
  compare('t.turns <= ?', filter.maxTurns);
  compare('t.tokens >= ?', filter.minTokens);
  compare('t.tokens <= ?', filter.maxTokens);
  compare('t."stateSeed" = ?', filter.stateSeed);
  if (filter.hasError !== undefined) conditions.add(`t.error IS ${filter.hasError ? 'NOT ' : ''}NULL`);
  if (filter.text !== undefined && filter.text !== '')
    await addText(manager, conditions, runIds, filter.text, purpose);
  return conditions;
}

/** Up to so many runs are named in the statement; databases plan well for these. */
const fewRuns = 100;

/** Whether a filter chooses runs by what they are, rather than by their ids. */
export const hasRunConditions = ({ project, tag, projects }: TrajectoryScope): boolean =>
  [project, tag, projects].some((condition) => condition !== undefined);

function runsOf(manager: EntityManager, scope: TrajectoryScope): Conditions {
  const { runIds, project, tag, projects } = scope;
  const runs = new Conditions();
  if (projects !== undefined) runs.add(`r.project IN (${listOf(projects)})`, ...projects);
  if (project !== undefined) runs.add('r.project = ?', project);
  if (tag !== undefined) runs.add(containing(manager, 'r.tags'), JSON.stringify(tag));
  if (hasRunConditions(scope) && runIds !== undefined) runs.add(`r.id IN (${listOf(runIds)})`, ...runIds);
  return runs;
}

const listOf = (values: readonly string[]): string => values.map(() => '?').join(', ') || 'NULL';

/** Replaces the conditions on runs by the ids of these runs, unless there are too many to name. */
export async function nameRuns(manager: EntityManager, scope: TrajectoryScope): Promise<TrajectoryScope> {
  const runs = runsOf(manager, scope);
  const found = await runSql<{ id: string }>(
    manager,
    `SELECT r.id FROM run r WHERE ${runs.clause} LIMIT ${fewRuns + 1}`,
    runs.values,
  );
  if (found.length > fewRuns) return scope;
  return {
    ...scope,
    runIds: found.map(({ id }) => id),
    project: undefined,
    tag: undefined,
    projects: undefined,
  };
}

/**
 * Limits a statement to the runs of a filter. One run is read along its own indices; for a page of several, the unary plus
 * makes SQLite use the index of the order.
 */
function addRuns(
  manager: EntityManager,
  conditions: Conditions,
  scope: TrajectoryScope,
  purpose: Purpose,
): readonly string[] | undefined {
  const { runIds } = scope;
  const column = isPostgres(manager) || purpose === 'count' ? 't."runId"' : '+t."runId"';
  if (runIds?.length === 1) conditions.add('t."runId" = ?', runIds[0]);
  else if (runIds !== undefined) conditions.add(`${column} IN (${listOf(runIds)})`, ...runIds);
  if (hasRunConditions(scope)) {
    const runs = runsOf(manager, scope);
    conditions.add(`${column} IN (SELECT r.id FROM run r WHERE ${runs.clause})`, ...runs.values);
  }
  return runIds;
}

const fts5Matches = 'SELECT rowid FROM trajectory_search WHERE trajectory_search MATCH ?';

/** The unary plus makes SQLite use the index of the order and test each row against the matches. */
async function addText(
  manager: EntityManager,
  conditions: Conditions,
  runIds: readonly string[] | undefined,
  text: string,
  purpose: Purpose,
): Promise<void> {
  const terms = parseSearch(text);
  if (terms.length === 0) {
    if (runIds?.length !== 1)
      throw new AppError(
        'server.invalid_input',
        'search trajectories of several runs: a text without letters and digits has no index; search in one run, or for words',
      );
    conditions.add(containing(manager, 't.text'), text);
  } else if (isPostgres(manager))
    await addPostgresText(manager, conditions, runIds, toWebSearch(terms), purpose);
  else if (runIds === undefined && terms.every(({ isExcluded }) => isExcluded))
    // FTS5 has no query for all rows to exclude from
    for (const term of terms)
      conditions.add(
        `+t."searchKey" NOT IN (${fts5Matches})`,
        toFts5(undefined, [{ ...term, isExcluded: false }]),
      );
  else conditions.add(`+t."searchKey" IN (${fts5Matches})`, toFts5(runIds, terms));
}

/** PostgreSQL cannot estimate how many match and would plan badly, so the matches are counted first. */
async function addPostgresText(
  manager: EntityManager,
  conditions: Conditions,
  runIds: readonly string[] | undefined,
  search: string,
  purpose: Purpose,
): Promise<void> {
  const scope = runIds === undefined ? '' : 's."runId" = ANY(?::text[]) AND ';
  const matches = `SELECT s."searchKey" AS key FROM trajectory_search s WHERE ${scope}s.document @@ websearch_to_tsquery('simple', ?)`;
  const values = [...(runIds === undefined ? [] : [[...runIds]]), search];
  if (purpose === 'page') {
    const found = await runSql<{ key: string }>(manager, `${matches} LIMIT ${fewMatches + 1}`, values);
    if (found.length <= fewMatches)
      conditions.add(
        't."searchKey" = ANY(?::bigint[])',
        found.map(({ key }) => key),
      );
    else
      conditions.add(
        `(SELECT s.document @@ websearch_to_tsquery('simple', ?) FROM trajectory_search s
         WHERE s."runId" = t."runId" AND s.cursor = t.cursor)`,
        search,
      );
  } else conditions.add(`t."searchKey" IN (${matches})`, ...values);
}
