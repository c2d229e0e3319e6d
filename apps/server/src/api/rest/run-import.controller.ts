import { Body, Controller, Headers, HttpCode, Param, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { idempotencyHeader, withIdempotencyKey } from './request-body.js';
import { type RunDto, toRunDto } from '../../core/runs/run-queries.service.js';
import { ImportCompletion } from '../../core/runs/import/import-completion.service.js';
import {
  type ImportAnswer,
  importAnswer,
  importEndRequest,
  importEventsRequest,
  type ImportHandle,
  importHandle,
  importRequest,
} from '../../core/runs/import/import-messages.js';
import { RunImport } from '../../core/runs/import/run-import.service.js';
import { run } from './open-api/responses.js';
import { Describe, Tag } from './open-api/open-api.js';
import { parseInput } from '../../core/input/parse-input.js';

@Tag('runs')
@Controller('api/v1/runs')
@Access('operator')
export class RunImportController {
  constructor(
    private readonly imports: RunImport,
    private readonly ends: ImportCompletion,
  ) {}

  @Post('import')
  @Describe({
    summary:
      'Starts the import of a run. Then upload its events, its files by PUT …/artifacts/… with the attempt and token of the response, and its end. A second request with the same fingerprint returns what has arrived.',
    headers: idempotencyHeader,
    body: importRequest,
    responses: {
      200: [importAnswer, 'It was announced before.'],
      201: [importAnswer, 'The run was made.'],
    },
  })
  async begin(
    @CurrentCaller() caller: Caller,
    @Body() body: unknown,
    @Headers() headers: Record<string, string | undefined>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ImportAnswer> {
    const request = parseInput(importRequest, withIdempotencyKey(body, headers), 'import a run');
    const answer = await this.imports.start(caller, request);
    void reply.status(answer.isNew ? 201 : 200);
    return answer;
  }

  @Post(':id/import/events')
  @HttpCode(200)
  @Describe({
    summary: 'Adds events to a run that is imported: numbered from 1 within each attempt, attempts in order.',
    body: importEventsRequest,
    response: importHandle,
  })
  async addEvents(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ImportHandle> {
    return this.imports.addEvents(caller, id, parseInput(importEventsRequest, body, 'import events'));
  }

  @Post(':id/import/end')
  @HttpCode(200)
  @Describe({
    summary:
      'Completes an import: checks that all events and files have arrived, then sets the final state of the run.',
    body: importEndRequest,
    response: run,
  })
  async end(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<RunDto> {
    return toRunDto(await this.ends.end(caller, id, parseInput(importEndRequest, body, 'end an import')));
  }
}
