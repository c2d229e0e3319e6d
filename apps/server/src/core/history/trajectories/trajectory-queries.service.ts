/** @file Finds trajectories: pages of rows, counts per step, one by its id. */
import { AppError, type RunSpec } from '@espalier/contracts';
import { describeModelChoice } from '@espalier/contracts/model-choice';
import { toAtif } from '@espalier/recorder';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { serverVersion } from '../../../config/server-version.js';
import type { Caller } from '../../access/caller.js';
import { runSql } from '../../database/run-sql.js';
import { RunLog } from '../../database/run-log.js';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import { type OrderBy, type Page, type PagePart, planPage, toPage } from '../../database/page.js';
import { checkRunAccess } from '../records/find-run.js';
import { hasRunConditions, nameRuns, toConditions, type TrajectoryScope } from './trajectory-conditions.js';
import { type Neighbours, toDetail } from './trajectory-detail.js';
import { TrajectoryFiles } from './trajectory-files.service.js';
import { Run } from '../../database/entities/run.js';
import { TrajectoryEntity } from '../../database/entities/trajectory.js';
import type { TrajectoryFilter, TrajectoryOrderField, TrajectorySearch } from './trajectory-request.js';
import type { ReadTrajectory, TrajectoryCounts } from './trajectory.types.js';

/** What each order compares; within a run, search keys are in the order of cursors. */
const orders = {
  step: { columns: ['t.step', 't."searchKey"'], kinds: ['step', 'integer'] },
  reward: { columns: ['t.reward', 't."searchKey"'], kinds: ['number', 'integer'] },
  stored: { columns: ['t."searchKey"'], kinds: ['integer'] },
} as const;

@Injectable()
export class TrajectoryQueries {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly files: TrajectoryFiles,
  ) {}

  /**
   * Finds trajectories of the runs that a caller may see.
   *
   * @throws server.not_found, server.invalid_cursor, server.invalid_input
   */
  async search(
    caller: Caller,
    filter: TrajectorySearch,
    part: PagePart,
    order?: OrderBy<TrajectoryOrderField>,
  ): Promise<Page<TrajectoryEntity>> {
    const { runIds } = filter;
    if (runIds !== undefined) await checkRunAccess(this.source.manager, caller, runIds);
    const seesAll = runIds !== undefined || caller.projects.includes('*');
    return this.list({ ...filter, projects: seesAll ? undefined : caller.projects }, part, order);
  }

  /** @throws server.invalid_cursor, server.invalid_input */
  async list(
    scope: TrajectoryScope,
    part: PagePart,
    { field, direction }: OrderBy<TrajectoryOrderField> = { field: 'step', direction: 'asc' },
  ): Promise<Page<TrajectoryEntity>> {
    const plan = planPage(part, { name: field, kinds: orders[field].kinds, direction });
    const read = <T>(work: (manager: EntityManager) => Promise<T>): Promise<T> =>
      limitConcurrency(() => this.log.read(work));
    const named = hasRunConditions(scope) ? await read((manager) => nameRuns(manager, scope)) : scope;
    const { runIds } = named;
    const keysOf = (manager: EntityManager, part: TrajectoryScope) => readKeys(manager, part, field, plan);
    let rows: TrajectoryEntity[];
    if (runIds === undefined || runIds.length === 1 || (runIds.length > 0 && named.text !== undefined))
      rows = await read(async (manager) => readRows(manager, await keysOf(manager, named)));
    else {
      // SQLite would visit the rows of all other runs, and the rows of one run are a part of an index
      const keys: OrderKey[] = [];
      for (const runId of runIds)
        keys.push(...(await read((manager) => keysOf(manager, { ...named, runIds: [runId] }))));
      const sign = plan.direction === 'ASC' ? 1 : -1;
      keys.sort((one, other) => sign * (one.value - other.value || one.key - other.key));
      rows = await read((manager) => readRows(manager, keys.slice(0, plan.limit)));
    }
    return toPage(
      plan,
      rows,
      (row) => (field === 'stored' ? [row.searchKey] : [row[field] ?? 0, row.searchKey]),
      () => this.count(named, field),
    );
  }

  /** Reads those at some cursors of a run, as far as they are stored and count. */
  async listByCursors(runId: string, cursors: readonly number[]): Promise<TrajectoryEntity[]> {
    const where = { runId, cursor: In([...cursors]), superseded: false };
    return this.log.read((manager) => manager.find(TrajectoryEntity, { where, order: { cursor: 'ASC' } }));
  }

  private async count(scope: TrajectoryScope, field: TrajectoryOrderField): Promise<number> {
    if (scope.runIds?.length === 0) return 0;
    const read = async (manager: EntityManager): Promise<number> => {
      const conditions = await toConditions(manager, scope, 'count');
      if (field === 'reward') conditions.add('t.reward IS NOT NULL');
      const [row] = await runSql<{ count: unknown }>(
        manager,
        `SELECT COUNT(*) AS count FROM trajectory t WHERE ${conditions.clause}`,
        conditions.values,
      );
      return Number(row?.count ?? 0);
    };
    return limitConcurrency(() => this.log.read(read));
  }

  /** Counts per step how many trajectories match, and how many there are. */
  async counts(runId: string, filter: TrajectoryFilter): Promise<TrajectoryCounts> {
    return this.log.read(async (manager) => {
      const { text: _text, ...others } = filter;
      const matching = await countBySteps(manager, runId, filter);
      const all = filter.text === undefined ? matching : await countBySteps(manager, runId, others);
      const steps = [...all.keys()];
      return {
        steps,
        matching: steps.map((step) => matching.get(step) ?? 0),
        all: steps.map((step) => all.get(step) ?? 0),
      };
    });
  }

  /** Finds one by its id, of the attempt that counts. @throws server.not_found */
  async find(runId: string, id: string): Promise<TrajectoryEntity> {
    const found = await this.log.read((manager) =>
      manager.findOne(TrajectoryEntity, {
        where: { runId, id },
        order: { superseded: 'ASC', attempt: 'DESC', cursor: 'DESC' },
      }),
    );
    if (found !== null) return found;
    throw new AppError(
      'server.not_found',
      `read trajectory "${id.slice(0, 100)}" of run ${runId}: there is none; ids are split/step/group/index`,
    );
  }

  /** Reads one with its turns and tokens from its file; throws what `TrajectoryFiles.read` does. */
  async read(row: TrajectoryEntity, keyId: string, signal?: AbortSignal): Promise<ReadTrajectory> {
    const { runId, step, id } = row;
    const position = await this.estimatePosition(row);
    const client = signal === undefined ? {} : { signal };
    const stored = await this.files.read({ runId, keyId, step, id, position, ...client });
    return toDetail(row, await this.neighboursOf(row), stored);
  }

  /** Describes one in ATIF, as a session of its run. */
  async toAtif({ row, stored }: ReadTrajectory): Promise<object> {
    const { spec } = await this.log.read((manager) => manager.findOneByOrFail(Run, { id: row.runId }));
    const model = describeModelChoice((spec as unknown as RunSpec).model);
    return toAtif(stored, { version: serverVersion, model, run: row.runId });
  }

  /** Finds the trajectories before and after one, in the order of lists. */
  private async neighboursOf({ runId, step, searchKey }: TrajectoryEntity): Promise<Neighbours> {
    const next = (operator: '<' | '>', direction: 'ASC' | 'DESC') => (manager: EntityManager) =>
      runSql<{ id: string }>(
        manager,
        `SELECT t.id FROM trajectory t
         WHERE t."runId" = ? AND t.superseded = ? AND (t.step, t."searchKey") ${operator} (?, ?)
         ORDER BY t.step ${direction}, t."searchKey" ${direction} LIMIT 1`,
        [runId, false, step, searchKey],
      );
    const [previous] = await this.log.read(next('<', 'DESC'));
    const [following] = await this.log.read(next('>', 'ASC'));
    return { previousId: previous?.id ?? null, nextId: following?.id ?? null };
  }

  /** Estimates the share of its file before a trajectory; rows are in the order of the file's lines. */
  private async estimatePosition({ runId, step, cursor }: TrajectoryEntity): Promise<number> {
    const [counts] = await this.log.read((manager) =>
      runSql<{ before: number | string; all: number | string }>(
        manager,
        `SELECT COUNT(*) AS "all", SUM(CASE WHEN cursor < ? THEN 1 ELSE 0 END) AS "before"
         FROM trajectory WHERE "runId" = ? AND step = ?`,
        [cursor, runId, step],
      ),
    );
    return Number(counts?.before ?? 0) / Math.max(1, Number(counts?.all ?? 0));
  }

  /** Reads the start of the text of one. */
  async text(runId: string, cursor: number): Promise<string> {
    const [row] = await this.log.read((manager) =>
      runSql<{ text: string }>(manager, 'SELECT text FROM trajectory WHERE "runId" = ? AND cursor = ?', [
        runId,
        cursor,
      ]),
    );
    return row?.text ?? '';
  }
}

/** Where a row stands in an order: its value there, then its search key. */
interface OrderKey {
  readonly value: number;
  readonly key: number;
}

async function readKeys(
  manager: EntityManager,
  scope: TrajectoryScope,
  field: TrajectoryOrderField,
  { bounds, direction, limit }: ReturnType<typeof planPage>,
): Promise<OrderKey[]> {
  const { columns } = orders[field];
  const conditions = await toConditions(manager, scope, 'page');
  if (field === 'reward') conditions.add('t.reward IS NOT NULL');
  for (const { operator, key } of bounds)
    conditions.add(`(${columns.join(', ')}) ${operator} (${key.map(() => '?').join(', ')})`, ...key);
  const found = await runSql<{ key: unknown; value: unknown }>(
    manager,
    `SELECT t."searchKey" AS key, ${columns[0]} AS value FROM trajectory t WHERE ${conditions.clause}
     ORDER BY ${columns.map((column) => `${column} ${direction}`).join(', ')} LIMIT ${limit}`,
    conditions.values,
  );
  return found.map(({ key, value }) => ({ key: Number(key), value: Number(value) }));
}

async function countBySteps(
  manager: EntityManager,
  runId: string,
  filter: TrajectoryFilter,
): Promise<Map<number, number>> {
  const conditions = await toConditions(manager, { ...filter, runIds: [runId] }, 'count');
  const rows = await runSql<{ step: number; count: unknown }>(
    manager,
    `SELECT t.step, COUNT(*) AS count FROM trajectory t WHERE ${conditions.clause} GROUP BY t.step ORDER BY t.step`,
    conditions.values,
  );
  return new Map(rows.map(({ step, count }) => [step, Number(count)]));
}

async function readRows(manager: EntityManager, keys: readonly OrderKey[]): Promise<TrajectoryEntity[]> {
  const rows = await manager.find(TrajectoryEntity, { where: { searchKey: In(keys.map(({ key }) => key)) } });
  const byKey = new Map(rows.map((row) => [row.searchKey, row]));
  return keys.flatMap(({ key }) => byKey.get(key) ?? []);
}
