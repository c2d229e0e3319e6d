import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Alert } from '../../core/database/entities/alert.js';
import { alertConditions, alertsQuery } from '../../core/history/alerts/alert-request.js';
import {
  AlertCount,
  type AlertDto,
  AlertService,
  toAlertDto,
} from '../../core/history/alerts/alert.service.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';

const alertResponse = dtoSchema(Alert, { also: { project: z.string() } });

/** Alerts over REST. */
@Tag('alerts')
@Controller('api/v1/alerts')
@Access('viewer')
export class AlertController {
  constructor(private readonly service: AlertService) {}

  @Get()
  @Describe({ summary: 'Alerts, newest first.', query: alertsQuery, response: pageSchema(alertResponse) })
  async list(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<PageAnswer<AlertDto>> {
    const query = parseInput(alertsQuery, given, 'list alerts');
    const { first, after, last, before, orderBy, direction, ...where } = query;
    const page = { first, after, last, before };
    const found = await this.service.list(caller, where, page, toOrder(orderBy, direction));
    return toPageAnswer(found, toAlertDto);
  }

  @Get('counts')
  @Describe({
    summary: 'How many alerts there are of each severity, the most severe first.',
    query: alertConditions,
    response: z.object({ items: z.array(dtoSchema(AlertCount)) }),
  })
  async counts(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<{ items: AlertCount[] }> {
    const where = parseInput(alertConditions, given, 'count alerts');
    return { items: await this.service.count(caller, where) };
  }

  @Post(':id/acknowledge')
  @HttpCode(200)
  @Access('operator')
  @Describe({ summary: 'Acknowledges an alert.', response: alertResponse })
  async acknowledge(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<AlertDto> {
    return toAlertDto(await this.service.acknowledge(caller, id));
  }
}
