import { isIPv6 } from 'node:net';
import { text } from '@espalier/protocol/bounds';
import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Caller } from '../../core/access/caller.js';
import { type Asker, RunReports } from '../../core/runs/export/run-report.service.js';
import { RunQueries } from '../../core/runs/run-queries.service.js';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { bytes, Describe, Tag } from './open-api/open-api.js';
import { parseInput } from '../../core/input/parse-input.js';

const reportQuery = z.object({
  also: z
    .string()
    .max(10_000)
    .default('')
    .transform((words) => words.split(',').filter((word) => word !== ''))
    .describe('ids of further runs, separated by commas'),
  title: text(200, { least: 1 }).default('Report').describe('heading of the report'),
});

@Tag('runs')
@Controller('api/v1/runs/:id/report')
@Access('viewer')
export class RunReportController {
  constructor(
    private readonly queries: RunQueries,
    private readonly reports: RunReports,
  ) {}

  @Get()
  @Describe({
    summary:
      'A report on the run: one HTML file that opens from disk, every number with its source, as `espalier report --server` makes it. It takes some seconds.',
    query: reportQuery,
    responses: { 200: [bytes, 'The file.'] },
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @Query() query: unknown,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { also, title } = parseInput(reportQuery, query, 'report on a run');
    const ids = [...new Set([id, ...also])];
    for (const one of ids) await this.queries.find(caller, one);
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const html = await this.reports.make(ids, title, askerOf(request), gone.signal);
    await reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="report-${id}.html"`)
      .header('x-content-type-options', 'nosniff')
      .send(html);
  }
}

/** How a process of this machine reaches the server: as the request did. */
function askerOf({ socket, headers }: FastifyRequest): Asker {
  const { localAddress = '127.0.0.1', localPort } = socket;
  const host = isIPv6(localAddress) ? `[${localAddress}]` : localAddress;
  return { url: `http://${host}:${localPort}`, key: (headers.authorization ?? '').replace(/^Bearer /i, '') };
}
