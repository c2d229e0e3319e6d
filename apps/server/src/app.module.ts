import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { AccessModule } from './access/access.module.js';
import { ArtifactsModule } from './artifacts/artifacts.module.js';
import { AuditModule } from './audit/audit.module.js';
import { SERVER_OPTIONS, type ServerOptions } from './config/server-options.js';
import { DatabaseModule } from './database/database.module.js';
import { EventsModule } from './events/events.module.js';
import { IngestModule } from './events/ingest.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { ExplorerModule } from './explorer/explorer.module.js';
import { GraphqlDoorModule } from './graphql/graphql-door.module.js';
import { GraphqlServingModule } from './graphql/graphql-serving.module.js';
import { HttpModule } from './http/http.module.js';
import { StreamModule } from './stream/stream.module.js';
import { AlertsModule } from './alerts/alerts.module.js';
import { TrajectoriesModule } from './trajectories/trajectories.module.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { PluginsModule } from './plugins/plugins.module.js';
import { RunsModule } from './runs/runs.module.js';
import { WorkersModule } from './workers/workers.module.js';

@Global()
@Module({})
class SettingsModule {
  static with(options: ServerOptions): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: SERVER_OPTIONS, useValue: options }],
      exports: [SERVER_OPTIONS],
    };
  }
}

/** The features, one module each. */
const features = [
  ...[AccessModule, AuditModule, EventsModule, IngestModule, ObservabilityModule],
  ...[PluginsModule, ArtifactsModule, RunsModule, JobsModule, WorkersModule],
  ...[AlertsModule, TrajectoriesModule, StreamModule],
];

@Module({})
export class AppModule {
  static with(options: ServerOptions, source: DataSource): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(options),
        DatabaseModule.with(source),
        GraphqlDoorModule,
        GraphqlServingModule,
        ExplorerModule,
        HttpModule,
        ...features,
      ],
    };
  }
}
