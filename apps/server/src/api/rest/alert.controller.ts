import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiOperation, ApiTags } from './open-api-decorators.js';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { text } from '@espalier/protocol/bounds';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { flag, moment, parseInput } from '../../core/input/parse-input.js';
import { openApiQuery } from './open-api-decorators.js';
import { Alert } from '../../core/database/entities/alert.js';
import { type AlertDto, AlertService, toAlertDto } from '../../core/history/alerts/alert.service.js';
import { openApiResponse } from './open-api-response.js';
import { dtoShape, pageShape, shapeOf } from './response-schema.js';

const alertsQuery = pageQuery.extend({
  run: text(100).optional().describe('only about this run'),
  project: text(200).optional().describe('only of this project'),
  since: moment.optional().describe('only from then on; ISO 8601'),
  open: flag.optional().describe('`true`: only unacknowledged ones'),
});

const alertResponse = dtoShape(Alert, { also: { project: shapeOf(z.string()) } });

/** Alerts over REST. */
@ApiTags('alerts')
@Controller('api/v1/alerts')
export class AlertController {
  constructor(private readonly service: AlertService) {}

  @Get()
  @Access('viewer')
  @ApiOperation({ summary: 'Alerts, newest first.' })
  @openApiQuery(alertsQuery)
  @openApiResponse(pageShape(alertResponse))
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<AlertDto>> {
    const { run, project, since, open, ...page } = parseInput(alertsQuery, given, 'list alerts');
    const found = await this.service.list(caller, { runId: run, project, since, open }, page);
    return toPageAnswer(found, toAlertDto);
  }

  @Post(':id/acknowledge')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Acknowledges an alert.' })
  @openApiResponse(alertResponse)
  async acknowledge(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<AlertDto> {
    return toAlertDto(await this.service.acknowledge(caller, id));
  }
}
