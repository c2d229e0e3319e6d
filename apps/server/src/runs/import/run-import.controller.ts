import { Body, Controller, HttpCode, Param, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import type { Caller } from '../../access/caller.js';
import { openApiBody } from '../../observability/open-api-body.js';
import { parseRequest } from '../run-request.js';
import { importEventsRequest, importRequest } from './import-request.js';
import { type ImportHandle, RunImport } from './run-import.service.js';

@ApiTags('runs')
@Controller('api/v1/runs')
export class RunImportController {
  constructor(private readonly imports: RunImport) {}

  @Post('import')
  @Access('operator')
  @ApiOperation({
    summary:
      'Makes a run of one that was made without this server. Then come its events, and its files by PUT …/artifacts/… with the attempt and token of the answer.',
  })
  @openApiBody(importRequest)
  async begin(@CurrentCaller() caller: Caller, @Body() body: unknown): Promise<ImportHandle> {
    return this.imports.begin(caller, parseRequest(importRequest, body, 'import a run'));
  }

  @Post(':id/import/events')
  @HttpCode(200)
  @Access('operator')
  @ApiOperation({ summary: 'Adds events to an imported run: numbered from 1 within each attempt, attempts in order.' })
  @openApiBody(importEventsRequest)
  async addEvents(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Body() body: unknown,
  ): Promise<ImportHandle> {
    return this.imports.addEvents(caller, id, parseRequest(importEventsRequest, body, 'import events'));
  }
}
