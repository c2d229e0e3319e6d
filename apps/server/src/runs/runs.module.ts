import { Module } from '@nestjs/common';
import { PluginsModule } from '../plugins/plugins.module.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { RunCreator } from './run-creator.service.js';
import { RunCuration } from './run-curation.service.js';
import { RunEstimator } from './run-estimator.service.js';
import { RunLineage } from './run-lineage.service.js';
import { RunMutations } from './run-mutations.resolver.js';
import { RunQueries } from './run-queries.service.js';
import { RunSteering } from './run-steering.service.js';
import { RunController } from './run.controller.js';
import { RunResolver } from './run.resolver.js';

/** Runs: made, read, steered, compared. */
@Module({
  imports: [PluginsModule],
  controllers: [RunController],
  providers: [
    ...[RunQueries, RunCheckpoints, RunEstimator, RunCreator, RunSteering, RunLineage, RunCuration],
    ...[RunResolver, RunMutations],
  ],
  exports: [RunQueries, RunCheckpoints],
})
export class RunsModule {}
