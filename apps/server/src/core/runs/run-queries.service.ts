/** @file Reads the runs that a caller may see. */
import { healthStates, type HealthState } from '@espalier/contracts/health';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type SelectQueryBuilder } from 'typeorm';
import { type Caller, restrictToVisible } from '../access/caller.js';
import { omitColumns } from '../database/omit-columns.js';
import { isoTimesOf, stepOrNull } from '../database/columns.js';
import { containing, likeContaining } from '../database/run-sql.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import {
  columnKey,
  momentKey,
  type OrderBy,
  type Page,
  type PagePart,
  readPage,
  type SortKey,
} from '../database/page.js';
import { findRunOrFail, findRuns } from '../history/records/find-run.js';
import type { RunConditions, RunOrderField } from './run-request.js';
import { Run } from '../database/entities/run.js';

/** Columns that lists omit, as they may be long. */
const unlisted = ['spec', 'source', 'importContent', 'search'] as const;

/** A run in lists. */
export type ListedRun = Omit<Run, (typeof unlisted)[number]>;

const maxWords = 16;

const id = columnKey('run', 'id', 'text');
const orders: Readonly<Record<RunOrderField, SortKey<Run>>> = {
  createdAt: columnKey('run', 'createdAt', 'integer'),
  startedAt: momentKey('run', 'startedAt'),
  endedAt: momentKey('run', 'endedAt'),
  name: columnKey('run', 'name', 'text'),
};

/** Longer ids are nobody's; the database need not see all of them. */
const cutId = (id: string): string => id.slice(0, 100);

@Injectable()
export class RunQueries {
  constructor(private readonly source: DataSource) {}

  /** @throws server.not_found */
  find(caller: Caller, id: string): Promise<Run> {
    return findRunOrFail(this.source.manager, caller, cutId(id));
  }

  /** In the order of the ids, each once. @throws server.not_found */
  findAll(caller: Caller, ids: readonly string[]): Promise<Run[]> {
    return findRuns(this.source.manager, caller, ids.map(cutId));
  }

  /** @throws server.invalid_cursor, server.invalid_input */
  async list(
    caller: Caller,
    where: RunConditions,
    page: PagePart,
    { field, direction }: OrderBy<RunOrderField> = { field: 'createdAt', direction: 'desc' },
  ): Promise<Page<ListedRun>> {
    const query = this.listed();
    restrictToVisible(query, caller);
    addConditions(query, where);
    return readPage(query, page, [orders[field], id], direction);
  }

  /** Runs that were forked from a run, oldest first. @throws server.invalid_cursor, server.invalid_input */
  async listForks(caller: Caller, parentRunId: string, page: PagePart): Promise<Page<ListedRun>> {
    const query = this.listed();
    query.where('run.parentRunId = :parentRunId', { parentRunId });
    restrictToVisible(query, caller);
    return readPage(query, page, [id]);
  }

  /** Runs by their ids. */
  async listByIds(ids: readonly string[]): Promise<ListedRun[]> {
    const query = this.listed().where({ id: In([...ids]) });
    return limitConcurrency(() => query.getMany());
  }

  private listed(): SelectQueryBuilder<Run> {
    return omitColumns(this.source.getRepository(Run).createQueryBuilder('run'), unlisted);
  }
}

function addConditions(query: SelectQueryBuilder<Run>, where: RunConditions): void {
  const { ids, project, states, tag, group, text, parentRunId, createdFrom, createdBefore } = where;
  if (ids !== undefined) query.andWhere('run.id IN (:...ids)', { ids: [...ids, ''] });
  if (project !== undefined) query.andWhere('run.project = :project', { project });
  if (states !== undefined) query.andWhere('run.state IN (:...states)', { states: [...states, ''] });
  if (tag !== undefined) query.andWhere(containing(query, 'run.tags', ':tag'), { tag: JSON.stringify(tag) });
  if (group !== undefined) query.andWhere('run.group = :group', { group });
  if (parentRunId !== undefined) query.andWhere('run.parentRunId = :parentRunId', { parentRunId });
  if (createdFrom !== undefined) query.andWhere('run.createdAt >= :createdFrom', { createdFrom });
  if (createdBefore !== undefined) query.andWhere('run.createdAt < :createdBefore', { createdBefore });
  const words = (text ?? '').toLowerCase().split(/\s+/).filter(Boolean).slice(0, maxWords);
  words.forEach((word, index) =>
    query.andWhere(`run.search LIKE :word${index} ESCAPE '!'`, {
      [`word${index}`]: likeContaining(word.slice(0, 200)),
    }),
  );
}

type Moment = 'createdAt' | 'startedAt' | 'endedAt';
/** internal columns */
type Internal = 'search' | 'importKey' | 'importContent' | 'idempotencyKey' | 'requestHash';

/** A run as plain data: times as ISO 8601 text, as in GraphQL. */
export type RunDto = Omit<Run, Moment | Internal | 'step'> &
  Readonly<Record<Moment, string | null>> & {
    readonly step: number | null;
    readonly health: HealthState | null;
  };

/** A run in lists: without its spec and its source, which may be long. */
export type ListedRunDto = Omit<RunDto, 'spec' | 'source'>;

/** What the collapse monitor of a run says; null: nothing yet, or it is off. */
export const healthOf = ({ latest }: Pick<Run, 'latest'>): HealthState | null =>
  healthStates[latest['monitor/state'] ?? -1] ?? null;

export function toListedRunDto(listed: ListedRun): ListedRunDto {
  const { importKey: _import, idempotencyKey: _key, requestHash: _hash, ...run } = listed;
  return {
    ...run,
    ...isoTimesOf(run, ['createdAt', 'startedAt', 'endedAt']),
    step: stepOrNull(run.step),
    health: healthOf(run),
  };
}

export function toRunDto({ search: _words, importContent: _content, ...run }: Run): RunDto {
  const { spec, source } = run;
  return { ...toListedRunDto(run), spec, source };
}
