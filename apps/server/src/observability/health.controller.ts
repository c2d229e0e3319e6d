import { Controller, Get } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';

@Controller('health')
export class HealthController {
  @Get('live')
  @Access('public')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }
}
