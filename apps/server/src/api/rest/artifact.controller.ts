import { Controller, Get, Headers, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import { text, toIsoTime } from '@espalier/protocol/bounds';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Access, AlsoTickets, AlsoWorkers, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { ArtifactAccess } from '../../core/artifacts/artifact-access.service.js';
import { Artifact } from '../../core/database/entities/artifact.js';
import { longestTicket } from '../../core/access/tickets.js';
import { ArtifactService } from '../../core/artifacts/artifact.service.js';
import { parseByteRange } from '../../core/artifacts/byte-range.js';
import { dtoSchema, pageSchema } from './open-api/response-schema.js';
import { stepOrNull } from '../../core/database/columns.js';
import { type PageAnswer, pageQuery, toPageAnswer } from '../../core/database/page.js';
import { parseInput } from '../../core/input/parse-input.js';
import { uploadBody } from './request-body.js';
import { bytes, Describe, Tag } from './open-api/open-api.js';

/** An artifact. */
interface ArtifactDto extends Pick<Artifact, 'path' | 'kind' | 'bytes' | 'sha256' | 'attempt'> {
  readonly step: number | null;
  readonly createdAt: string;
}

/** Of a download by a ticket. */
export const ticketQuery = z.object({
  ticket: text(longestTicket).optional().describe('a ticket for this download, in place of a key'),
});

const filesQuery = pageQuery.extend({
  path: text(1000).default('').describe('only paths that begin so'),
});

const fields = ['path', 'kind', 'bytes', 'sha256', 'step', 'attempt', 'createdAt'];
const artifactResponse = dtoSchema(Artifact, { only: fields });

@Tag('artifacts')
@Controller('api/v1/runs/:id/artifacts')
@Access('viewer')
export class ArtifactController {
  constructor(
    private readonly artifacts: ArtifactService,
    private readonly access: ArtifactAccess,
  ) {}

  @Get()
  @AlsoWorkers()
  @Describe({
    summary: 'The files of a run by path; of each path the newest.',
    query: filesQuery,
    response: pageSchema(artifactResponse),
  })
  async list(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Query() given: unknown,
  ): Promise<PageAnswer<ArtifactDto>> {
    await this.access.checkRead(caller, runId);
    const { path, ...page } = parseInput(filesQuery, given, 'list artifacts');
    return toPageAnswer(await this.artifacts.page(runId, path, page), toDto);
  }

  @Get('*')
  @AlsoWorkers()
  @AlsoTickets()
  @Describe({
    summary: 'The bytes of a file; takes a `range` header.',
    query: ticketQuery,
    responses: { 200: [bytes, 'The bytes.'], 206: [bytes, 'The bytes of the range.'] },
  })
  async read(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Param('*') path: string,
    @Headers('range') rangeHeader: string | undefined,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.access.checkRead(caller, runId);
    const artifact = await this.artifacts.find(runId, path);
    const range = parseByteRange(rangeHeader, artifact.bytes);
    const name = path.slice(path.lastIndexOf('/') + 1).replaceAll('"', '');
    void reply
      .header('content-type', 'application/octet-stream')
      .header('content-disposition', `attachment; filename="${name}"`)
      .header('x-content-type-options', 'nosniff')
      .header('accept-ranges', 'bytes')
      .header('etag', `"${artifact.sha256}"`)
      .header('x-espalier-sha256', artifact.sha256);
    if (range === null) {
      await reply.status(416).header('content-range', `bytes */${artifact.bytes}`).send();
      return;
    }
    if (range !== undefined)
      void reply.status(206).header('content-range', `bytes ${range.start}-${range.end}/${artifact.bytes}`);
    void reply.header('content-length', range === undefined ? artifact.bytes : range.end - range.start + 1);
    const { stream } = await this.artifacts.open(runId, path, range);
    await reply.send(stream);
  }

  @Put('*')
  @HttpCode(200)
  @Access('operator')
  @AlsoWorkers()
  @Describe({ summary: 'Stores a file of an attempt; for workers and imports.', response: artifactResponse })
  async write(
    @CurrentCaller() caller: Caller,
    @Param('id') runId: string,
    @Param('*') path: string,
    @Headers() headers: Record<string, string | undefined>,
    @Req() request: FastifyRequest,
  ): Promise<ArtifactDto> {
    const attemptId = headers['x-espalier-attempt'] ?? '';
    await this.access.checkWrite(caller, runId, attemptId);
    const token = Number(headers['x-espalier-token'] ?? Number.NaN);
    const sha256 = headers['x-espalier-sha256'] ?? '';
    const stream = uploadBody(request.body, path);
    const length = headers['content-length'];
    return toDto(
      await this.artifacts.store(
        ...([runId, attemptId, token, path, sha256, stream] as const),
        length === undefined ? undefined : Number(length),
      ),
    );
  }
}

function toDto({ path, kind, bytes, sha256, step, attempt, createdAt }: Artifact): ArtifactDto {
  return { path, kind, bytes, sha256, step: stepOrNull(step), attempt, createdAt: toIsoTime(createdAt) };
}
