import { toIsoTime, toIsoTimeOrNull } from '@espalier/protocol/bounds';
import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { LaunchedWorker } from '../../core/database/entities/launched-worker.js';
import { type PageAnswer, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  launchedQuery,
  type LaunchedView,
  LauncherQueries,
  LauncherView,
} from '../../core/scaling/launcher-queries.service.js';
import { Describe, Tag } from './open-api/open-api.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';

const launchersResponse = z.object({ items: z.array(dtoSchema(LauncherView)) });
const launchedResponse = dtoSchema(LaunchedWorker);

@Tag('launchers')
@Controller('api/v1/launchers')
@Access('viewer')
export class LauncherController {
  constructor(private readonly queries: LauncherQueries) {}

  @Get()
  @Describe({
    summary: 'The launchers of the settings, which start workers when jobs wait.',
    response: launchersResponse,
  })
  list() {
    const items = this.queries
      .list()
      .map((one) => ({ ...one, backoffUntil: toIsoTimeOrNull(one.backoffUntil) }));
    return { items };
  }

  @Get('workers')
  @Describe({
    summary: 'Workers that launchers have started, newest first.',
    query: launchedQuery,
    response: pageSchema(launchedResponse),
  })
  async workers(
    @CurrentCaller() caller: Caller,
    @Query() given: unknown,
  ): Promise<PageAnswer<ReturnType<typeof toDto>>> {
    const { launcher, ended, ...page } = parseInput(launchedQuery, given, 'list launched workers');
    return toPageAnswer(await this.queries.listWorkers(caller, { launcher, ended }, page), toDto);
  }

  @Post('workers/:name/stop')
  @HttpCode(200)
  @Access('admin')
  @Describe({
    summary: 'Stops a launched worker: its jobs save and continue elsewhere.',
    response: launchedResponse,
  })
  async stop(@CurrentCaller() caller: Caller, @Param('name') name: string) {
    return toDto(await this.queries.stop(caller, name));
  }
}

function toDto({ createdAt, changedAt, connectedAt, endedAt, ...row }: LaunchedView) {
  return {
    ...row,
    createdAt: toIsoTime(createdAt),
    changedAt: toIsoTime(changedAt),
    connectedAt: toIsoTimeOrNull(connectedAt),
    endedAt: toIsoTimeOrNull(endedAt),
  };
}
