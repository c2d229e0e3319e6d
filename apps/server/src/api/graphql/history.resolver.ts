import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { parseInput } from '../../core/input/parse-input.js';
import { logConditions, LogLine, logOrderFields, LogReader } from '../../core/history/records/log-reader.js';
import { ClientSignal } from '../http/client-signal.js';
import { inputOfSchema } from './types/from-schema.js';
import { checkRunAccess } from '../../core/history/records/find-run.js';

const LogLineConnection = connectionOf(LogLine, 'LogLine');
const LogLineOrder = orderOf('LogLine', logOrderFields);
type LogLineOrder = InstanceType<typeof LogLineOrder>;

const LogFilter = inputOfSchema('LogFilter', 'Which lines; all conditions hold at once.', logConditions);
type LogFilter = InstanceType<typeof LogFilter>;

/** A search may read the whole log. */
const logSearchCost = 1000;

@Resolver()
export class HistoryResolver {
  constructor(
    private readonly source: DataSource,
    private readonly reader: LogReader,
  ) {}

  @Query(() => LogLineConnection, {
    nullable: true,
    description: 'What the processes of a run printed; `last` gives the newest lines.',
    complexity: ({ args }) => (args['filter']?.text === undefined ? 1 : logSearchCost),
  })
  @Access('viewer')
  async runLogs(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
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
}
