import { type DynamicModule, Global, Module } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { ApiModule } from './api/api.module.js';
import { SERVER_OPTIONS, type ServerOptions } from './config/server-options.js';
import { DatabaseModule } from './core/database/database.module.js';

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

/** The server: its settings and its database, which everything may use, the core, and the transports in front of it. */
@Module({})
export class AppModule {
  static with(options: ServerOptions, source: DataSource): DynamicModule {
    return {
      module: AppModule,
      imports: [SettingsModule.with(options), DatabaseModule.with(source), ApiModule],
    };
  }
}
