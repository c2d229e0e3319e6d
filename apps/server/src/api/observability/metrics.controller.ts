import { Controller, Get, Header, Inject, Req, Res } from '@nestjs/common';
import { Access } from '../access/access.decorator.js';
import { KeyService } from '../../core/access/key.service.js';
import { bearerOf, type CallerHolder } from '../access/request-context.js';
import { SERVER_OPTIONS, type ServerOptions } from '../../config/server-options.js';
import { MetricsRegistry } from './metrics-registry.js';
import { Describe, plainText, Tag } from '../rest/open-api/open-api.js';

/** The metrics of this server: for any valid key, or public by a setting. */
@Tag('health')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly registry: MetricsRegistry,
    private readonly keys: KeyService,
    @Inject(SERVER_OPTIONS) private readonly options: ServerOptions,
  ) {}

  @Get()
  @Access('public')
  @Header('cache-control', 'no-store')
  @Describe({
    summary:
      'Metrics of this server, in the text format of Prometheus; needs a key unless http.publicMetrics.',
    responses: { 200: [plainText, 'The metrics.'] },
  })
  async render(
    @Req() request: CallerHolder,
    @Res({ passthrough: true }) reply: { type(type: string): unknown },
  ): Promise<string> {
    if (!this.options.http.publicMetrics) await this.keys.authenticate(bearerOf(request.headers));
    const { type, text } = await this.registry.render();
    reply.type(type);
    return text;
  }
}
