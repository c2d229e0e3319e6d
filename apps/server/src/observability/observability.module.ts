import { Global, Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { ErrorReport } from './error-report.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsRegistry } from './metrics-registry.js';
import { RefusalInterceptor } from './refusal.interceptor.js';
import { ServerFigures } from './server-figures.js';
import { ServerResolver } from './server.resolver.js';

/** What tells how the server is, and what went wrong. */
@Global()
@Module({
  controllers: [HealthController, MetricsController],
  providers: [
    ...[ServerResolver, ErrorReport, HealthService, MetricsRegistry, ServerFigures],
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_INTERCEPTOR, useClass: RefusalInterceptor },
  ],
  exports: [ErrorReport, HealthService, MetricsRegistry, ServerFigures],
})
export class ObservabilityModule {}
