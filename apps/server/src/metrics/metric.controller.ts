import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DataSource } from 'typeorm';
import type { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { requireRuns } from '../events/require-run.js';
import { openApiQuery, parseQuery } from '../http/parse-query.js';
import { MetricHistory } from './metric-history.service.js';
import { historyRequest, metricsQuery, runMetricsQuery } from './metric-request.js';
import { MetricName, MetricSeries } from './metric.types.js';
import { openApiAnswer } from '../http/open-api-answer.js';
import { arrayOf, either, objectOf, told } from '../http/answer-schema.js';

const series = arrayOf(told(MetricSeries));

/** Metrics over REST. */
@ApiTags('metrics')
@Controller('api/v1')
export class MetricController {
  constructor(
    private readonly source: DataSource,
    private readonly history: MetricHistory,
  ) {}

  @Get('runs/:id/metrics')
  @Access('viewer')
  @ApiOperation({ summary: 'The history of metrics of a run; without a name, which metrics it has.' })
  @openApiQuery(runMetricsQuery)
  @openApiAnswer(objectOf({ items: either(series, arrayOf(told(MetricName))) }))
  async ofRun(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<{ items: MetricSeries[] | MetricName[] }> {
    const query = parseQuery(runMetricsQuery, given, 'read metrics');
    await requireRuns(this.source.manager, caller, [runId]);
    if (query.name === undefined) return { items: await this.history.names(runId) };
    return { items: await this.read({ ...query, run: [runId], name: query.name }) };
  }

  @Get('metrics')
  @Access('viewer')
  @ApiOperation({ summary: 'The history of several metrics of several runs.' })
  @openApiQuery(metricsQuery)
  @openApiAnswer(objectOf({ items: series }))
  async ofRuns(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<{ items: MetricSeries[] }> {
    const query = parseQuery(metricsQuery, given, 'read metrics');
    await requireRuns(this.source.manager, caller, query.run);
    return { items: await this.read(query) };
  }

  private async read({ run, name, from, to, points }: z.infer<typeof metricsQuery>): Promise<MetricSeries[]> {
    const given = { runIds: run, names: name, fromStep: from, toStep: to, points };
    return this.history.read(parseQuery(historyRequest, given, 'read the history of metrics'));
  }
}
