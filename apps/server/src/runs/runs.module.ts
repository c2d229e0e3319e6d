import { Module } from '@nestjs/common';
import { PluginsModule } from '../plugins/plugins.module.js';
import { RunQueries } from './run-queries.service.js';
import { RunResolver } from './run.resolver.js';

/** Runs: made, read, steered, compared. */
@Module({ imports: [PluginsModule], providers: [RunQueries, RunResolver], exports: [RunQueries] })
export class RunsModule {}
