import { Controller, Get, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { Access } from '../access/access.decorator.js';
import { HealthService, type Readiness } from './health.service.js';

@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @Access('public')
  @ApiOperation({ summary: 'The process is up.' })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @Access('public')
  @ApiOperation({ summary: 'It can do its work; 503 with the names of failed checks otherwise.' })
  async ready(@Res({ passthrough: true }) reply: { status(code: number): unknown }): Promise<Readiness> {
    const readiness = await this.health.readiness();
    if (readiness.status !== 'ready') reply.status(503);
    return readiness;
  }
}
