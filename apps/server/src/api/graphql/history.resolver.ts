import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, PageArgs } from './connection.js';
import { LogLine, RunReader } from '../../core/history/records/run-reader.js';
import { checkRunAccess } from '../../core/history/records/find-run.js';

const LogLineConnection = connectionOf(LogLine, 'LogLine');

@Resolver()
export class HistoryResolver {
  constructor(
    private readonly source: DataSource,
    private readonly reader: RunReader,
  ) {}

  @Query(() => LogLineConnection, {
    nullable: true,
    description: 'What the process of a run printed, oldest line first; `last` gives the newest lines.',
  })
  @Access('viewer')
  async runLogs(
    @CurrentCaller() caller: Caller,
    @Args('runId', { type: () => ID, description: 'The run.' }) runId: string,
    @Args() page: PageArgs,
  ): Promise<Page<LogLine>> {
    await checkRunAccess(this.source.manager, caller, [runId]);
    return this.reader.logs(runId, page);
  }
}
