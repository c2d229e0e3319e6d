import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '../rest/open-api-notes.js';
import { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { HealthService, type Readiness } from './health.service.js';
import { openApiAnswer } from '../rest/open-api-answer.js';
import { shapeOf } from '../rest/answer-schema.js';

const readinessAnswer = z.object({
  status: z.enum(['ready', 'not-ready', 'stopping']),
  checks: z.record(z.string(), z.enum(['ok', 'failed'])),
}) satisfies z.ZodType<Readiness>;

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Access('public')
  @ApiOperation({ summary: 'The process is up.' })
  @openApiAnswer(shapeOf(z.object({ status: z.literal('ok') })))
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @Access('public')
  @ApiOperation({ summary: 'It can do its work; 503 with the names of failed checks otherwise.' })
  @openApiAnswer(shapeOf(readinessAnswer))
  @openApiAnswer(shapeOf(readinessAnswer), 503, 'It cannot.')
  async ready(@Res({ passthrough: true }) reply: { status(code: number): unknown }): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ready') reply.status(503);
    return readiness;
  }
}
