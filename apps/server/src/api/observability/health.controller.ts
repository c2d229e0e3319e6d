import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '../rest/open-api-decorators.js';
import { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { HealthService, type Readiness } from './health.service.js';
import { openApiResponse } from '../rest/open-api-response.js';
import { shapeOf } from '../rest/response-schema.js';

const readinessResponse = z.object({
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
  @openApiResponse(shapeOf(z.object({ status: z.literal('ok') })))
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @Access('public')
  @ApiOperation({ summary: 'It can do its work; 503 with the names of failed checks otherwise.' })
  @openApiResponse(shapeOf(readinessResponse))
  @openApiResponse(shapeOf(readinessResponse), 503, 'It cannot.')
  async ready(@Res({ passthrough: true }) reply: { status(code: number): unknown }): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ready') reply.status(503);
    return readiness;
  }
}
