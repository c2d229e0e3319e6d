import { Controller, Get, Param, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { checkRunAccess } from '../../core/history/records/find-run.js';
import { parseInput } from '../../core/input/parse-input.js';
import { MetricHistory } from '../../core/history/metrics/metric-history.service.js';
import {
  type HistoryRequest,
  historyRequest,
  metricsQuery,
  runMetricsQuery,
} from '../../core/history/metrics/metric-request.js';
import { MetricName, MetricSeries } from '../../core/history/metrics/metric.types.js';
import { dtoSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

/** null: the run has had no metric of that name */
const series = z.array(dtoSchema(MetricSeries).nullable());

/** Metrics over REST. */
@Tag('metrics')
@Controller('api/v1')
@Access('viewer')
export class MetricController {
  constructor(
    private readonly source: DataSource,
    private readonly history: MetricHistory,
  ) {}

  @Get('runs/:id/metrics')
  @Describe({
    summary:
      'The history of metrics of a run, null for one that it has not had; without a name, which metrics it has.',
    query: runMetricsQuery,
    response: z.object({ items: z.union([series, z.array(dtoSchema(MetricName))]) }),
  })
  async ofRun(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<{ items: (MetricSeries | null)[] | MetricName[] }> {
    const query = parseInput(runMetricsQuery, given, 'read metrics');
    const { name } = query;
    const request = name === undefined ? undefined : toRequest({ ...query, runId: [runId], name });
    await checkRunAccess(this.source.manager, caller, [runId]);
    if (request === undefined) return { items: await this.history.names(runId) };
    return { items: await this.history.read(request) };
  }

  @Get('metrics')
  @Describe({
    summary: 'The history of several metrics of several runs, null for one that a run has not had.',
    query: metricsQuery,
    response: z.object({ items: series }),
  })
  async ofRuns(
    @CurrentCaller() caller: Caller,
    @Query() given: unknown,
  ): Promise<{ items: (MetricSeries | null)[] }> {
    const request = toRequest(parseInput(metricsQuery, given, 'read metrics'));
    await checkRunAccess(this.source.manager, caller, request.runIds);
    return { items: await this.history.read(request) };
  }
}

/** @throws server.invalid_input */
function toRequest({ runId, name, ...range }: z.infer<typeof metricsQuery>): HistoryRequest {
  const given = { runIds: runId, names: name, ...range };
  return parseInput(historyRequest, given, 'read the history of metrics');
}
