import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { type Page, PageArgs } from '../graphql/page.js';
import { HistoryService } from './history.service.js';
import { type LogLine, LogPage } from './log.types.js';
import { requireRuns } from './require-run.js';

@Resolver()
export class HistoryResolver {
  constructor(
    private readonly source: DataSource,
    private readonly history: HistoryService,
  ) {}

  @Query(() => LogPage, { description: 'What the process of a run printed, in order.' })
  @Access('viewer')
  async runLogs(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
    @Args() page: PageArgs,
  ): Promise<Page<LogLine>> {
    await requireRuns(this.source.manager, caller, [runId]);
    return this.history.logs(runId, page);
  }
}
