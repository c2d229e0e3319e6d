import { Global, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ErrorFilter } from './error.filter.js';
import { ErrorReport } from './error-report.js';
import { HealthController } from './health.controller.js';
import { ServerResolver } from './server.resolver.js';

/** What tells how the server is, and what went wrong. */
@Global()
@Module({
  controllers: [HealthController],
  providers: [ServerResolver, ErrorReport, { provide: APP_FILTER, useClass: ErrorFilter }],
  exports: [ErrorReport],
})
export class ObservabilityModule {}
