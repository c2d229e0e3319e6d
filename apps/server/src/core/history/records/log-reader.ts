/** @file Reads and searches what the processes of a run printed. */
import { count, text } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { Between, type EntityManager, type FindOptionsWhere } from 'typeorm';
import { z } from 'zod';
import { limitConcurrency } from '../../database/limit-concurrency.js';
import {
  type OrderBy,
  orderQuery,
  type Page,
  type PagePart,
  pageQuery,
  planPage,
  toPage,
} from '../../database/page.js';
import { RunRecord } from '../../database/entities/run-record.js';
import { RunLog } from '../../database/run-log.js';
import { containing } from '../../database/run-sql.js';
import { wholeNumber } from '../../input/parse-input.js';

/** A line that the process of a run printed. */
export class LogLine {
  cursor!: number;
  time!: number;
  attempt!: number;
  text!: string;
}

/** Which lines; all conditions hold at once. */
export const logConditions = z.strictObject({
  text: text(200, { least: 1 })
    .optional()
    .describe('that contain this text, as it stands: upper and lower case differ'),
  attempt: wholeNumber.pipe(count).optional().describe('that this attempt printed'),
});
type LogConditions = z.output<typeof logConditions>;

/** What a log can be ordered by. */
export const logOrderFields = { time: 'when it was printed' } as const;

/** `GET /runs/:id/logs` */
export const logsQuery = pageQuery.extend({ ...logConditions.shape, ...orderQuery(logOrderFields) });

/** Records that a search reads at once: a long log is searched in bounded memory, and others are served meanwhile. */
const recordsPerRead = 1000;

@Injectable()
export class LogReader {
  constructor(private readonly log: RunLog) {}

  /**
   * Reads lines, oldest first unless ordered otherwise.
   *
   * @param signal ends a search, with what it has found so far. @throws server.invalid_cursor, server.invalid_input
   */
  async page(
    runId: string,
    conditions: LogConditions,
    part: PagePart,
    { direction }: Pick<OrderBy<'time'>, 'direction'> = { direction: 'asc' },
    signal?: AbortSignal,
  ): Promise<Page<LogLine>> {
    // lines are numbered in the order in which they were printed
    const plan = planPage(part, { name: 'log', kinds: ['integer'], direction });
    let from = 1;
    let to = Number.MAX_SAFE_INTEGER;
    for (const { operator, key } of plan.bounds) {
      if (operator === '<') to = Math.min(to, Number(key[0]) - 1);
      else from = Math.max(from, Number(key[0]) + 1);
    }
    const lines: LogLine[] = [];
    for await (const found of this.read(runId, conditions, { from, to }, { ...plan, signal })) {
      lines.push(...found);
      if (lines.length >= plan.limit) break;
    }
    return toPage(
      plan,
      lines.slice(0, plan.limit),
      ({ cursor }) => [cursor],
      () => this.count(runId, conditions, signal),
    );
  }

  private async count(runId: string, conditions: LogConditions, signal?: AbortSignal): Promise<number> {
    if (conditions.text === undefined)
      return limitConcurrency(() =>
        this.log.read((manager) => manager.countBy(RunRecord, whereOf(runId, conditions))),
      );
    let total = 0;
    const all = { from: 1, to: Number.MAX_SAFE_INTEGER };
    const order = { direction: 'ASC' as const, limit: Infinity, signal };
    for await (const lines of this.read(runId, conditions, all, order)) total += lines.length;
    return total;
  }

  /** Reads the lines of a range in parts, each a part of the history; without a search in one. */
  private async *read(
    runId: string,
    conditions: LogConditions,
    range: Range,
    { direction, limit, signal }: Order & { readonly signal: AbortSignal | undefined },
  ): AsyncGenerator<LogLine[]> {
    let { from, to } = range;
    if (conditions.text !== undefined && signal?.aborted !== true) {
      const newest = await this.log.read((manager) => manager.maximum(RunRecord, 'cursor', { runId }));
      to = Math.min(to, Number(newest ?? 0));
    }
    const most = conditions.text === undefined ? Infinity : recordsPerRead;
    while (from <= to && signal?.aborted !== true) {
      const part =
        direction === 'ASC'
          ? { from, to: Math.min(to, from + most - 1) }
          : { from: Math.max(from, to - most + 1), to };
      const order = { direction, limit };
      yield await limitConcurrency(() =>
        this.log.read((manager) => readLines(manager, runId, conditions, part, order)),
      );
      if (direction === 'ASC') from = part.to + 1;
      else to = part.from - 1;
    }
  }
}

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Order {
  readonly direction: 'ASC' | 'DESC';
  readonly limit: number;
}

const whereOf = (runId: string, { attempt }: LogConditions): FindOptionsWhere<RunRecord> => ({
  runId,
  kind: 'log',
  ...(attempt !== undefined && { attempt }),
});

/** The database looks for the text as it stands in JSON, which may also match other parts of it. */
async function readLines(
  manager: EntityManager,
  runId: string,
  conditions: LogConditions,
  { from, to }: Range,
  { direction, limit }: Order,
): Promise<LogLine[]> {
  const { text: wanted } = conditions;
  const query = manager
    .createQueryBuilder(RunRecord, 'record')
    .where({ ...whereOf(runId, conditions), cursor: Between(from, to) })
    .orderBy('record.cursor', direction);
  if (wanted === undefined) query.limit(limit);
  else
    query.andWhere(containing(manager, 'record.body', ':part'), {
      part: JSON.stringify(wanted).slice(1, -1),
    });
  const lines = (await query.getMany()).map(({ cursor, time, attempt, body }) => ({
    cursor,
    time,
    attempt,
    text: String(body['text'] ?? ''),
  }));
  return wanted === undefined ? lines : lines.filter((line) => line.text.includes(wanted));
}
