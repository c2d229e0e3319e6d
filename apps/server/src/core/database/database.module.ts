import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** Gives every feature the one DataSource. It is opened before Nest starts, so that a failure is a sentence. */
@Global()
@Module({})
export class DatabaseModule {
  static with(source: DataSource): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [{ provide: DataSource, useValue: source }],
      exports: [DataSource],
    };
  }
}
