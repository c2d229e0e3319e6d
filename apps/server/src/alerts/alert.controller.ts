import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from '../http/open-api-notes.js';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../access/caller.js';
import { flag, openApiQuery, parseQuery, wholeNumber } from '../http/parse-query.js';
import { Alert } from './alert.entity.js';
import { AlertService } from './alert.service.js';
import { openApiAnswer } from '../http/open-api-answer.js';
import { listOf, shapeOf, told } from '../http/answer-schema.js';

const alertsQuery = z.strictObject({
  run: z.string().max(100).optional().describe('only about this run'),
  project: z.string().max(200).optional().describe('only of this project'),
  since: z
    .union([z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)), wholeNumber])
    .optional()
    .describe('only from then on; ISO 8601, or ms since the epoch'),
  open: flag.optional().describe('`true`: only those nobody acknowledged'),
  first: wholeNumber.default(50).describe('how many, 1 to 500'),
  after: z.string().max(500).optional().describe('`next` of the page before'),
});

const alertAnswer = told(Alert, { times: 'ms', also: { project: shapeOf(z.string()) } });

/** Alerts over REST. */
@ApiTags('alerts')
@Controller('api/v1/alerts')
export class AlertController {
  constructor(private readonly service: AlertService) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ summary: 'Alerts, newest first.' })
  @openApiQuery(alertsQuery)
  @openApiAnswer(listOf(alertAnswer))
  async list(
    @CurrentCaller() caller: Caller,
    @Query() given: unknown,
  ): Promise<{ items: readonly Alert[]; next: string | null }> {
    const { run, project, since, open, first, after } = parseQuery(alertsQuery, given, 'list alerts');
    const page = await this.service.list(caller, { runId: run, project, since, open }, first, after);
    return { items: page.items, next: page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null };
  }

  @Post(':id/acknowledge')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Says that somebody has seen an alert.' })
  @openApiAnswer(alertAnswer)
  async acknowledge(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<Alert> {
    return this.service.acknowledge(caller, id);
  }
}
