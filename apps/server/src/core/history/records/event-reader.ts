/** @file Lists and counts what happened to a run besides metrics, newest first unless ordered otherwise. */
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import {
  columnKey,
  type OrderBy,
  orderQuery,
  type Page,
  type PagePart,
  pageQuery,
  readPage,
} from '../../database/page.js';
import { isRareKind, manifoldKinds, RunRecord } from '../../database/entities/run-record.js';
import { stepOrNull } from '../../database/columns.js';
import { Run } from '../../database/entities/run.js';
import { RunLog } from '../../database/run-log.js';
import { runSql } from '../../database/run-sql.js';
import { several, wholeNumber } from '../../input/parse-input.js';
import { recordBodies, type RecordKind } from './record-bodies.js';

const kinds = Object.keys(recordBodies) as [RecordKind];
const kind = z.enum(kinds);

/** Which records; all conditions hold at once. */
export const eventConditions = z.strictObject({
  kinds: z
    .array(kind)
    .max(kinds.length)
    .optional()
    .describe('of these kinds; default, or none: all but trajectories and lines of the log'),
  fromStep: wholeNumber.optional().describe('of this step or a later one'),
  toStep: wholeNumber.optional().describe('of this step or an earlier one'),
});
type EventConditions = z.output<typeof eventConditions>;

/** What a list of events can be ordered by. */
export const eventOrderFields = { cursor: 'its place in the history of the run' } as const;

/** The same conditions over REST, where a kind may be given several times. */
const { kinds: _kinds, ...steps } = eventConditions.shape;
const restConditions = {
  ...steps,
  kind: several(kind, kinds.length)
    .optional()
    .describe('of this kind, may be given several times; default: all but trajectories and lines of the log'),
};

/** `GET /runs/:id/event-list` */
export const eventListQuery = pageQuery.extend({ ...restConditions, ...orderQuery(eventOrderFields) });

const mostRanges = 2000;
/** Into how many ranges of steps they are counted. */
export const countRanges = z.strictObject({
  ranges: wholeNumber
    .pipe(z.int().min(1).max(mostRanges))
    .default(500)
    .describe(`ranges of steps at most, 1 to ${mostRanges}; default 500`),
});

/** `GET /runs/:id/event-counts` */
export const eventCountsQuery = countRanges.extend(restConditions);

/** How many records of a kind there are in a range of steps. */
export class EventCount {
  kind!: string;
  firstStep!: number | null;
  lastStep!: number | null;
  count!: number;
}

/** What is known of all records up to a cursor. */
export class EventCounts {
  cursor!: number;
  counts!: readonly EventCount[];
}

const byCursor = [columnKey('record', 'cursor', 'integer')];

@Injectable()
export class EventReader {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
  ) {}

  /** Reads a page. @throws server.invalid_cursor, server.invalid_input */
  async page(
    runId: string,
    conditions: EventConditions,
    part: PagePart,
    { direction }: Pick<OrderBy<'cursor'>, 'direction'> = { direction: 'desc' },
  ): Promise<Page<RunRecord>> {
    const query = selectRecords(this.source.manager, runId, conditions);
    return readPage(query, part, byCursor, direction, (work) => this.log.read(work));
  }

  /** Counts by kind and range of steps, as many as a chart has room for; records of no step are one range. */
  async counts(runId: string, conditions: EventConditions, ranges: number): Promise<EventCounts> {
    return this.log.read(async (manager) => {
      const { head } = await manager.findOneOrFail(Run, {
        where: { id: runId },
        select: { id: true, head: true },
      });
      const cursor = Number(head);
      const { clause, values } = toSql(runId, conditions);
      const from = `FROM run_record WHERE ${clause} AND cursor <= ?`;
      const bound = [...values, cursor];
      const [last] = await runSql<{ step: unknown }>(manager, `SELECT MAX(step) AS step ${from}`, bound);
      const size = Math.max(1, Math.ceil((Number(last?.step ?? 0) + 1) / ranges));
      const rows = await runSql<Record<'kind' | 'first' | 'last' | 'count', unknown>>(
        manager,
        `SELECT kind, MIN(step) AS first, MAX(step) AS last, COUNT(*) AS count ${from} GROUP BY kind, CASE WHEN step < 0 THEN -1 ELSE step / ${size} END ORDER BY kind, first`,
        bound,
      );
      const counts = rows.map(({ kind: of, first, last: until, count }) => ({
        kind: String(of),
        firstStep: stepOrNull(Number(first)),
        lastStep: stepOrNull(Number(until)),
        count: Number(count),
      }));
      return { cursor, counts };
    });
  }
}

const isManifold = (kind: RecordKind): boolean => (manifoldKinds as readonly string[]).includes(kind);

/** The conditions as SQL with `?` for each value. */
function toSql(
  runId: string,
  { kinds: named = [], fromStep, toStep }: EventConditions,
): { readonly clause: string; readonly values: readonly unknown[] } {
  const parts = ['"runId" = ?'];
  const values: unknown[] = [runId];
  if (!named.some(isManifold)) parts.push(isRareKind);
  if (named.length > 0) {
    parts.push(`kind IN (${named.map(() => '?').join(', ')})`);
    values.push(...named);
  }
  if (fromStep !== undefined) {
    parts.push('step >= ?');
    values.push(fromStep);
  }
  if (toStep !== undefined) {
    parts.push('step >= 0 AND step <= ?');
    values.push(toStep);
  }
  return { clause: parts.join(' AND '), values };
}

function selectRecords(
  manager: EntityManager,
  runId: string,
  conditions: EventConditions,
): SelectQueryBuilder<RunRecord> {
  const { clause, values } = toSql(runId, conditions);
  const parameters = Object.fromEntries(values.map((value, index) => [`event${index}`, value]));
  let index = 0;
  return manager.createQueryBuilder(RunRecord, 'record').where(
    clause.replace(/\?/g, () => `:event${index++}`),
    parameters,
  );
}
