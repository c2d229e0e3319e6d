import { Readable } from 'node:stream';
import { exportFormats, exportKinds, type ExportOffer, exportOffer } from '@espalier/protocol';
import { size } from '@espalier/protocol/bounds';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery, ApiTags } from './open-api-decorators.js';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Access, AlsoTickets, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { parseRequest } from '../../core/runs/run-request.js';
import { RunQueries } from '../../core/runs/run-queries.service.js';
import type { Run } from '../../core/database/entities/run.js';
import { RunExport } from '../../core/runs/export/run-export.service.js';
import { openApiBytes, openApiResponse } from './open-api-response.js';
import { shapeOf } from './response-schema.js';

const until = z.coerce.number().pipe(size).optional();
const manifestQuery = z.object({
  format: z.enum(exportFormats).default('jsonl'),
  what: z.enum([...exportKinds, 'all']).default('all'),
  until,
});
const fileQuery = z.object({ until });

@ApiTags('runs')
@Controller('api/v1/runs/:id/export')
export class RunExportController {
  constructor(
    private readonly queries: RunQueries,
    private readonly exporter: RunExport,
  ) {}

  @Get('manifest')
  @Access('viewer')
  @ApiOperation({ summary: 'The files of an export with their hashes; fetch each with the same `until`.' })
  @ApiQuery({ name: 'format', required: false, enum: exportFormats })
  @ApiQuery({ name: 'what', required: false, enum: [...exportKinds, 'all'] })
  @ApiQuery({ name: 'until', required: false, description: 'last cursor to export; default: the newest' })
  @openApiResponse(shapeOf(exportOffer))
  async manifest(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: unknown,
  ): Promise<ExportOffer> {
    const run = await this.queries.find(caller, id);
    const { format, what, until: last } = parseRequest(manifestQuery, query, 'export a run');
    return this.exporter.describe(run, format, what === 'all' ? exportKinds : [what], lastOf(run, last));
  }

  @Get(':file')
  @Access('viewer')
  @AlsoTickets()
  @ApiQuery({ name: 'ticket', required: false, description: 'a ticket for this download, in place of a key' })
  @ApiOperation({
    summary:
      'A file of an export: run.json, or metrics, trajectories or records as .jsonl, .csv or .parquet.',
  })
  @ApiQuery({ name: 'until', required: false, description: 'last cursor to export; default: the newest' })
  @openApiBytes()
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('file') file: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const run = await this.queries.find(caller, id);
    const { until: last } = parseRequest(fileQuery, query, 'export a run');
    const bytes = await this.exporter.open(run, file, lastOf(run, last));
    await reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${run.id}-${file}"`)
      .header('x-content-type-options', 'nosniff')
      .send(Readable.from(bytes));
  }
}

function lastOf({ head }: Run, wanted: number | undefined): number {
  return Math.min(wanted ?? head, head);
}
