import { describeAfter, type StreamBatch } from '@espalier/protocol';
import { size, toIsoTime } from '@espalier/protocol/bounds';
import { Controller, Get, Param, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { parseInput, wholeNumber } from '../../core/input/parse-input.js';
import { RecordBatch } from '../stream/record-batch.js';
import { checkRunAccess } from '../../core/history/records/find-run.js';
import {
  EventCounts,
  eventCountsQuery,
  eventListQuery,
  EventReader,
} from '../../core/history/records/event-reader.js';
import { LogLine, LogReader, logsQuery } from '../../core/history/records/log-reader.js';
import { recordBodies, type RecordKind } from '../../core/history/records/record-bodies.js';
import { RunReader } from '../../core/history/records/run-reader.js';
import { ClientSignal } from '../http/client-signal.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

const wholePlace = 'expected a whole number from 0';
const place = z
  .union([z.string().regex(/^\d+$/, wholePlace), z.number()], wholePlace)
  .transform(Number)
  .pipe(size);
const eventsQuery = z.strictObject({
  after: place.default(0).describe(describeAfter),
  first: wholeNumber.pipe(z.int().min(1).max(2000)).default(500).describe('records at most, 1 to 2000'),
});

const numbers = z.array(z.number());
const metricColumns = z.object({
  cursors: numbers,
  steps: numbers,
  times: numbers,
  attempts: numbers,
  values: z
    .record(z.string(), z.array(z.number().nullable()))
    .describe('by name; null where a row has no such metric, or it is not a number'),
  notFinite: z
    .record(z.string(), numbers)
    .optional()
    .describe('by name; rows at which it was reported and is NaN or infinite; absent: none'),
});
const recordShapes = (Object.keys(recordBodies) as RecordKind[]).map((kind) =>
  z.object({
    cursor: z.int(),
    kind: z.literal(kind),
    time: z.number().describe('ms since the epoch'),
    step: z.int().describe('−1: none'),
    attempt: z.int().describe('0: the server itself'),
    body: recordBodies[kind] as z.ZodObject,
  }),
);
const record = z.union(recordShapes);
const eventsResponse = z.object({
  runId: z.string(),
  after: z.int(),
  cursor: z.int().describe('everything after `after` up to this one is here'),
  head: z.int().describe('newest cursor of the run'),
  metrics: metricColumns.describe('row i is steps[i], times[i], attempts[i] and values[name][i]'),
  records: z.array(record),
}) satisfies z.ZodType<StreamBatch>;

/** The history of a run over REST. */
@Tag('runs')
@Controller('api/v1/runs/:id')
@Access('viewer')
export class HistoryController {
  constructor(
    private readonly source: DataSource,
    private readonly reader: RunReader,
    private readonly lines: LogReader,
    private readonly recordList: EventReader,
  ) {}

  @Get('logs')
  @Describe({
    summary:
      'What the processes of a run printed, oldest line first unless ordered otherwise; `last` gives the newest lines.',
    query: logsQuery,
    response: pageSchema(dtoSchema(LogLine)),
  })
  async logs(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<PageAnswer<Omit<LogLine, 'time'> & { readonly time: string }>> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    const { text, attempt, orderBy, direction, ...part } = parseInput(logsQuery, given, 'read logs');
    const page = await this.lines.page(runId, { text, attempt }, part, toOrder(orderBy, direction), signal);
    return toPageAnswer(page, ({ time, ...line }) => ({ ...line, time: toIsoTime(time) }));
  }

  @Get('events')
  @Describe({
    summary:
      'Everything that happened to a run after a cursor: metrics in columns, other records in order. Continue with the `cursor` of the response.',
    query: eventsQuery,
    response: eventsResponse,
  })
  async events(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<StreamBatch & { readonly head: number }> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    const { after, first } = parseInput(eventsQuery, given, 'read events');
    const page = await this.reader.page(runId, after, first);
    const batch = new RecordBatch(runId, page.after, page.cursor, page.records);
    return { ...batch.message(), head: page.head };
  }

  @Get('event-list')
  @Describe({
    summary: 'What happened to a run besides metrics, newest first unless ordered otherwise.',
    query: eventListQuery,
    response: pageSchema(record),
  })
  async eventList(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<PageAnswer<StreamBatch['records'][number]>> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    const { kind, fromStep, toStep, orderBy, direction, ...part } = parseInput(
      eventListQuery,
      given,
      'list events',
    );
    const where = { kinds: kind, fromStep, toStep };
    const page = await this.recordList.page(runId, where, part, toOrder(orderBy, direction));
    return toPageAnswer(page, ({ runId: _runId, ...stored }) => stored);
  }

  @Get('event-counts')
  @Describe({
    summary: 'How many records of each kind there are, by ranges of steps.',
    query: eventCountsQuery,
    response: dtoSchema(EventCounts),
  })
  async eventCounts(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<EventCounts> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    const { kind, fromStep, toStep, ranges } = parseInput(eventCountsQuery, given, 'count events');
    return this.recordList.counts(runId, { kinds: kind, fromStep, toStep }, ranges);
  }
}
