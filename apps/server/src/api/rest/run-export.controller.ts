import { Readable } from 'node:stream';
import { exportFormats, exportKinds, type ExportOffer, exportOffer } from '@espalier/protocol/export';
import { size } from '@espalier/protocol/bounds';
import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { Access, AlsoTickets, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { RunQueries } from '../../core/runs/run-queries.service.js';
import type { Run } from '../../core/database/entities/run.js';
import { RunExport } from '../../core/runs/export/run-export.service.js';
import { ticketQuery } from './artifact.controller.js';
import { bytes, Describe, Tag } from './open-api/open-api.js';
import { parseInput } from '../../core/input/parse-input.js';

const until = z.coerce.number().pipe(size).optional().describe('last cursor to export; default: the newest');
const manifestQuery = z.object({
  format: z.enum(exportFormats).default('jsonl'),
  what: z.enum([...exportKinds, 'all']).default('all'),
  until,
});
const fileQuery = z.object({ until });

@Tag('runs')
@Controller('api/v1/runs/:id/export')
@Access('viewer')
export class RunExportController {
  constructor(
    private readonly queries: RunQueries,
    private readonly exporter: RunExport,
  ) {}

  @Get('manifest')
  @Describe({
    summary: 'The files of an export with their hashes; fetch each with the same `until`.',
    query: manifestQuery,
    response: exportOffer,
  })
  async manifest(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: unknown,
  ): Promise<ExportOffer> {
    const run = await this.queries.find(caller, id);
    const { format, what, until: last } = parseInput(manifestQuery, query, 'export a run');
    return this.exporter.describe(run, format, what === 'all' ? exportKinds : [what], lastOf(run, last));
  }

  @Get(':file')
  @AlsoTickets()
  @Describe({
    summary:
      'A file of an export: run.json, or metrics, trajectories or records as .jsonl, .csv or .parquet.',
    query: fileQuery.extend(ticketQuery.shape),
    responses: { 200: [bytes, 'The bytes.'] },
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Param('file') file: string,
    @Query() query: unknown,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const run = await this.queries.find(caller, id);
    const { until: last } = parseInput(fileQuery, query, 'export a run');
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
