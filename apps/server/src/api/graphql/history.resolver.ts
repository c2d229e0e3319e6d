import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { mapPage, type Page } from '../../core/database/page.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  countRanges,
  eventConditions,
  EventCounts,
  eventOrderFields,
  EventReader,
} from '../../core/history/records/event-reader.js';
import { logConditions, LogLine, logOrderFields, LogReader } from '../../core/history/records/log-reader.js';
import { ClientSignal } from '../http/client-signal.js';
import { RunEventKindEnum } from './enums.js';
import { countCost } from './limits/field-costs.js';
import { runArg, RunEventRecord } from './live.types.js';
import { inputOfSchema } from './types/from-schema.js';
import { toEventRecord } from './types/record-body.type.js';
import { checkRunAccess } from '../../core/history/records/find-run.js';

const LogLineConnection = connectionOf(LogLine, 'LogLine');
const LogLineOrder = orderOf('LogLine', logOrderFields);
type LogLineOrder = InstanceType<typeof LogLineOrder>;

const LogFilter = inputOfSchema('LogFilter', 'Which lines; all conditions hold at once.', logConditions);
type LogFilter = InstanceType<typeof LogFilter>;

const RunEventConnection = connectionOf(RunEventRecord, 'RunEvent');
const RunEventOrder = orderOf('RunEvent', eventOrderFields);
type RunEventOrder = InstanceType<typeof RunEventOrder>;

const RunEventFilter = inputOfSchema(
  'RunEventFilter',
  'Which records; all conditions hold at once.',
  eventConditions,
  { kinds: RunEventKindEnum },
);
type RunEventFilter = InstanceType<typeof RunEventFilter>;

/** A search may read the whole log. */
const logSearchCost = 1000;

@Resolver()
export class HistoryResolver {
  constructor(
    private readonly source: DataSource,
    private readonly reader: LogReader,
    private readonly events: EventReader,
  ) {}

  @Query(() => LogLineConnection, {
    nullable: true,
    description: 'What the processes of a run printed; `last` gives the newest lines.',
    complexity: ({ args }) => (args['filter']?.text === undefined ? 1 : logSearchCost),
  })
  @Access('viewer')
  async runLogs(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args() page: PageArgs,
    @Args('filter', { type: () => LogFilter, nullable: true, description: 'Which; default: all.' })
    filter: LogFilter | null | undefined,
    @Args('orderBy', { type: () => LogLineOrder, nullable: true, description: 'Default: oldest first.' })
    orderBy: LogLineOrder | null | undefined,
    @ClientSignal() signal: AbortSignal | undefined,
  ): Promise<Page<LogLine>> {
    const where = parseInput(logConditions, filter, 'read logs');
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.reader.page(runId, where, page, orderBy ?? undefined, signal);
  }

  @Query(() => RunEventConnection, {
    nullable: true,
    description: 'What happened to a run besides metrics: states, warnings, checkpoints.',
  })
  @Access('viewer')
  async runEvents(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args() page: PageArgs,
    @Args('filter', { type: () => RunEventFilter, nullable: true, description: 'Which; default: all.' })
    filter: RunEventFilter | null | undefined,
    @Args('orderBy', { type: () => RunEventOrder, nullable: true, description: 'Default: newest first.' })
    orderBy: RunEventOrder | null | undefined,
  ): Promise<Page<RunEventRecord>> {
    const where = parseInput(eventConditions, filter, 'list events');
    await checkRunAccess(this.source.manager, caller, [runId]);
    return mapPage(await this.events.page(runId, where, page, orderBy ?? undefined), toEventRecord);
  }

  @Query(() => EventCounts, {
    nullable: true,
    description: 'How many records of each kind there are, by ranges of steps.',
    complexity: () => countCost,
  })
  @Access('viewer')
  async runEventCounts(
    @CurrentCaller() caller: Caller,
    @Args('runId', runArg) runId: string,
    @Args('filter', { type: () => RunEventFilter, nullable: true, description: 'Which; default: all.' })
    filter: RunEventFilter | null | undefined,
    @Args('ranges', {
      type: () => Int,
      defaultValue: 500,
      description: 'Ranges of steps at most, 1 to 2000.',
    })
    ranges: number,
  ): Promise<EventCounts> {
    const where = parseInput(eventConditions, filter, 'count events');
    const most = parseInput(countRanges, { ranges }, 'count events');
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.events.counts(runId, where, most.ranges);
  }
}
