import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { ServerResolver } from './server.resolver.js';

/** What tells how the server is. */
@Module({ controllers: [HealthController], providers: [ServerResolver] })
export class ObservabilityModule {}
