import { Controller, Get, Res } from '@nestjs/common';
import { z } from 'zod';
import { Access } from '../access/access.decorator.js';
import { HealthService, type Readiness } from './health.service.js';
import { Describe, Tag } from '../rest/open-api/open-api.js';

const readinessResponse = z.object({
  status: z.enum(['ready', 'not-ready', 'stopping']),
  checks: z.record(z.string(), z.enum(['ok', 'failed'])),
}) satisfies z.ZodType<Readiness>;

@Tag('health')
@Controller('health')
@Access('public')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Describe({ summary: 'The process is up.', response: z.object({ status: z.literal('ok') }) })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @Describe({
    summary: 'It can do its work; 503 with the names of failed checks otherwise.',
    responses: {
      200: [readinessResponse, 'Done.'],
      503: [readinessResponse, 'It cannot.'],
    },
  })
  async ready(@Res({ passthrough: true }) reply: { status(code: number): unknown }): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ready') reply.status(503);
    return readiness;
  }
}
