import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ApiModule } from './api/api.module.js';
import { SERVER_OPTIONS, type ServerOptions } from './config/server-options.js';

/** The settings and the database, which every module may use. Both exist before Nest starts. */
@Global()
@Module({})
class SharedModule {
  static with(options: ServerOptions, source: DataSource): DynamicModule {
    return {
      module: SharedModule,
      providers: [
        { provide: SERVER_OPTIONS, useValue: options },
        { provide: DataSource, useValue: source },
      ],
      exports: [SERVER_OPTIONS, DataSource],
    };
  }
}

/** The server: what all modules share, and the transports, which import the core. */
@Module({})
export class AppModule {
  static with(options: ServerOptions, source: DataSource): DynamicModule {
    return { module: AppModule, imports: [SharedModule.with(options, source), ApiModule] };
  }
}
