import { Module } from '@nestjs/common';
import { MetricsModule } from '../metrics/metrics.module.js';
import { PluginsModule } from '../plugins/plugins.module.js';
import { ExportTables } from './export/export-tables.service.js';
import { RunExportController } from './export/run-export.controller.js';
import { RunExport } from './export/run-export.service.js';
import { RunFacts } from './export/run-facts.service.js';
import { ArrivedContent } from './import/arrived-content.service.js';
import { ImportEnd } from './import/import-end.service.js';
import { RunImportController } from './import/run-import.controller.js';
import { RunImport } from './import/run-import.service.js';
import { CheckpointRetention } from './checkpoint-retention.service.js';
import { RunCheckpoints } from './run-checkpoints.service.js';
import { RunComparisonResolver } from './run-comparison.resolver.js';
import { RunComparisons } from './run-comparison.service.js';
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
  imports: [PluginsModule, MetricsModule],
  controllers: [RunController, RunExportController, RunImportController],
  providers: [
    ...[RunQueries, RunCheckpoints, RunEstimator, RunCreator, RunSteering, RunLineage, RunCuration],
    ...[
      CheckpointRetention,
      RunComparisons,
      RunImport,
      ImportEnd,
      ArrivedContent,
      RunExport,
      RunFacts,
      ExportTables,
    ],
    ...[RunResolver, RunMutations, RunComparisonResolver],
  ],
  exports: [RunQueries, RunCheckpoints],
})
export class RunsModule {}
