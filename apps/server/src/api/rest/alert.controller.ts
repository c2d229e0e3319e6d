import { Body, Controller, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { text } from '@espalier/protocol/bounds';
import { z } from 'zod';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { type PageAnswer, toOrder, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { Alert } from '../../core/database/entities/alert.js';
import { AlertVerdict } from '../../core/database/entities/alert-verdict.js';
import {
  acknowledgeRequest,
  alertConditions,
  alertsQuery,
  assignRequest,
} from '../../core/history/alerts/alert-request.js';
import {
  AlertAssignee,
  AlertCount,
  type AlertDto,
  AlertService,
  toAlertDto,
} from '../../core/history/alerts/alert.service.js';
import { isoTimesOf } from '../../core/database/columns.js';
import {
  AlertFinding,
  AlertRecord,
  AlertVerdicts,
  verdictRequest,
} from '../../core/verdicts/alert-verdicts.service.js';
import {
  AlertExamples,
  AlertExamplesService,
  examplesQuery,
} from '../../core/verdicts/alert-examples.service.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { Describe, Tag } from './open-api/open-api.js';
import { rowResponse, toRowDto } from './trajectory.controller.js';

const alertResponse = dtoSchema(Alert);

const assigneesQuery = z.strictObject({ project: text(200).describe('the project') });
const recordQuery = z.strictObject({ project: alertConditions.shape.project });
const examplesResponse = dtoSchema(AlertExamples, {
  also: { examples: z.array(z.object({ trajectory: rowResponse, value: z.number() })) },
});
const evidenceResponse = z.object({
  alert: alertResponse,
  findings: z.array(dtoSchema(AlertFinding)),
  verdicts: z.array(dtoSchema(AlertVerdict)),
});

/** Alerts over REST. */
@Tag('alerts')
@Controller('api/v1/alerts')
@Access('viewer')
export class AlertController {
  constructor(
    private readonly service: AlertService,
    private readonly verdicts: AlertVerdicts,
    private readonly exampleService: AlertExamplesService,
  ) {}

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
    const [alert] = await this.service.acknowledge(caller, [id]);
    return toAlertDto(alert as Alert);
  }

  @Post('acknowledge')
  @HttpCode(200)
  @Access('operator')
  @Describe({
    summary: 'Acknowledges several alerts, all or none.',
    body: acknowledgeRequest,
    response: z.object({ items: z.array(alertResponse) }),
  })
  async acknowledgeAll(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
  ): Promise<{ items: AlertDto[] }> {
    const { alertIds } = parseInput(acknowledgeRequest, body, 'acknowledge alerts');
    return { items: (await this.service.acknowledge(caller, alertIds)).map(toAlertDto) };
  }

  @Get('assignees')
  @Access('operator')
  @Describe({
    summary: 'Who may look after alerts of a project, by name.',
    query: assigneesQuery,
    response: z.object({ items: z.array(dtoSchema(AlertAssignee)) }),
  })
  async assignees(
    @CurrentCaller() caller: Caller,
    @Query() given: unknown,
  ): Promise<{ items: AlertAssignee[] }> {
    const { project } = parseInput(assigneesQuery, given, 'list assignees');
    return { items: await this.service.assignees(caller, project) };
  }

  @Put(':id/assignee')
  @Access('operator')
  @Describe({
    summary: 'Says who looks after an alert; without a key nobody does.',
    body: assignRequest,
    response: alertResponse,
  })
  async assign(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<AlertDto> {
    const { keyId } = parseInput(assignRequest, body, 'assign an alert');
    return toAlertDto(await this.service.assign(caller, id, keyId ?? null));
  }

  @Get('record')
  @Describe({
    summary: 'How often alerts were right, by code and by rule.',
    query: recordQuery,
    response: dtoSchema(AlertRecord),
  })
  async record(@CurrentCaller() caller: Caller, @Query() given: unknown): Promise<AlertRecord> {
    const { project } = parseInput(recordQuery, given, 'read the record of alerts');
    return this.verdicts.record(caller, project);
  }

  @Get(':id')
  @Describe({
    summary: 'An alert with the rules that fired and what users say of it.',
    response: evidenceResponse,
  })
  async evidence(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<unknown> {
    return this.evidenceOf(await this.verdicts.findAlert(caller, id));
  }

  @Get(':id/examples')
  @Describe({
    summary: 'The trajectories that show an alert best, by a quantity that goes with its rule.',
    query: examplesQuery,
    response: examplesResponse,
  })
  async examples(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() given: unknown,
  ): Promise<unknown> {
    const query = parseInput(examplesQuery, given, 'choose trajectories that show an alert');
    const { examples, ...choice } = await this.exampleService.choose(caller, id, query);
    return {
      ...choice,
      examples: examples.map(({ trajectory, value }) => ({ trajectory: toRowDto(trajectory), value })),
    };
  }

  @Put(':id/verdict')
  @Access('operator')
  @Describe({
    summary: 'Says whether an alert was right, in place of what you said before.',
    body: verdictRequest,
    response: evidenceResponse,
  })
  async judge(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<unknown> {
    const request = parseInput(verdictRequest, body, 'judge an alert');
    return this.evidenceOf(await this.verdicts.judge(caller, id, request));
  }

  private async evidenceOf(alert: Alert): Promise<unknown> {
    const verdicts = await this.verdicts.list([alert.id]);
    return {
      alert: toAlertDto(alert),
      findings: await this.verdicts.findings(alert),
      verdicts: verdicts.map(({ alertId, keyId, createdBy, judgement, reason, time }) => ({
        alertId,
        keyId,
        createdBy,
        judgement,
        reason,
        ...isoTimesOf({ time }, ['time']),
      })),
    };
  }
}
