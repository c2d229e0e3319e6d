/**
 * @file What the server does, whatever the transport: providers that know no HTTP, GraphQL or socket. Folders are listed from
 * the bottom up; a folder imports only folders above it in this list (test/architecture/dependency-direction.spec.ts).
 */
import { Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { SERVER_OPTIONS } from '../config/server-options.js';
import { AuditService } from './access/audit.service.js';
import { KeyService } from './access/key.service.js';
import { RateLimits } from './access/rate-limits.js';
import { ShownViews } from './access/shown-views.js';
import { Tickets } from './access/tickets.js';
import { ArtifactAccess } from './artifacts/artifact-access.service.js';
import { ArtifactService } from './artifacts/artifact.service.js';
import { DeletedRunSweep } from './artifacts/deleted-run-sweep.service.js';
import { ArtifactStore } from './artifacts/store/artifact-store.js';
import { createArtifactStore } from './artifacts/store/create-artifact-store.js';
import { Clock } from './database/clock.js';
import { LiveBus } from './database/live-bus.js';
import { RunLog } from './database/run-log.js';
import { AlertService } from './history/alerts/alert.service.js';
import { WebhookService } from './history/alerts/webhook.service.js';
import { MetricExtents } from './history/metrics/metric-extents.js';
import { MetricHistory } from './history/metrics/metric-history.service.js';
import { MetricTails } from './history/metrics/metric-tails.js';
import { EventReader } from './history/records/event-reader.js';
import { LogReader } from './history/records/log-reader.js';
import { RetentionService } from './history/records/retention.service.js';
import { RunReader } from './history/records/run-reader.js';
import { TrajectoriesInFlight } from './history/trajectories/trajectories-in-flight.js';
import { TrajectoryFiles } from './history/trajectories/trajectory-files.service.js';
import { TrajectoryPlay } from './history/trajectories/trajectory-play.service.js';
import { TrajectoryQueries } from './history/trajectories/trajectory-queries.service.js';
import { EnvironmentPlay } from './plugins/environment-play.service.js';
import { PluginCatalogue } from './plugins/plugin-catalogue.service.js';
import { PluginGuard } from './plugins/plugin-guard.service.js';
import { LaunchTable } from './launchers/launch-table.js';
import { CheckpointRetention } from './runs/checkpoint-retention.service.js';
import { ExportTables } from './runs/export/export-tables.service.js';
import { RunExport } from './runs/export/run-export.service.js';
import { ImportCompletion } from './runs/import/import-completion.service.js';
import { RunImport } from './runs/import/run-import.service.js';
import { ProjectQueries } from './runs/project-queries.service.js';
import { RunBulk } from './runs/run-bulk.service.js';
import { RunChats } from './runs/run-chats.service.js';
import { RunCheckpoints } from './runs/run-checkpoints.service.js';
import { RunComments } from './runs/run-comments.service.js';
import { RunGroupTests } from './runs/compare/group-tests.service.js';
import { RunComparisons } from './runs/compare/run-comparison.service.js';
import { RunCreator } from './runs/create/run-creator.service.js';
import { RunAnnotations } from './runs/run-annotations.service.js';
import { RunDeletion } from './runs/run-deletion.service.js';
import { RunEtas } from './runs/run-eta.service.js';
import { RunEvaluations } from './runs/run-evaluations.service.js';
import { CommandLine } from './runs/command-line.service.js';
import { RunReports } from './runs/export/run-report.service.js';
import { RunEstimator } from './runs/create/run-estimator.service.js';
import { RunForks } from './runs/run-forks.service.js';
import { Recipes } from './runs/recipes.service.js';
import { RunGroupQueries } from './runs/run-group-queries.service.js';
import { RunQueries } from './runs/run-queries.service.js';
import { RunLifecycle } from './runs/run-lifecycle.service.js';
import { RunTwins } from './runs/run-twins.service.js';
import { RunTickets } from './runs/run-tickets.service.js';
import { AssignmentService } from './scheduling/attempts/assignment.service.js';
import { AttemptService } from './scheduling/attempts/attempt.service.js';
import { ClaimService } from './scheduling/placement/claims.service.js';
import { EventIngest } from './scheduling/attempts/event-ingest.service.js';
import { ExplainService } from './scheduling/explain.service.js';
import { HandshakeService } from './scheduling/attempts/handshake.service.js';
import { JobChanges } from './scheduling/job-changes.js';
import { JobCounters } from './scheduling/job-counters.js';
import { JobQueries } from './scheduling/job-queries.service.js';
import { JobQueue } from './scheduling/job-queue.js';
import { JobTimer } from './scheduling/job-timer.js';
import { JobService } from './scheduling/job.service.js';
import { ReservedDevices } from './scheduling/placement/reserved-devices.js';
import { ConcurrencyLimits } from './scheduling/concurrency-limits.js';
import { UsageQuotas } from './scheduling/usage-quotas.js';
import { LeaseTable } from './scheduling/attempts/lease-table.js';
import { SchedulerService } from './scheduling/scheduler.service.js';
import { LauncherQueries } from './scaling/launcher-queries.service.js';
import { LaunchedWorkers } from './scaling/launched-workers.js';
import { ScalingService } from './scaling/scaling.service.js';
import { AlertExamplesService } from './verdicts/alert-examples.service.js';
import { AlertVerdicts } from './verdicts/alert-verdicts.service.js';
import { RatingExports } from './verdicts/rating-exports.service.js';
import { RatingSets } from './verdicts/rating-sets.service.js';
import { Ratings } from './verdicts/ratings.service.js';
import { TrajectorySampler } from './verdicts/trajectory-sampler.service.js';
import { DeviceHistory } from './workers/device-history.service.js';
import { ModelCalls } from './workers/model-calls.js';
import { WorkerCleanup } from './workers/worker-cleanup.service.js';
import { WorkerPool } from './workers/worker-pool.js';
import { WorkerRows } from './workers/worker-rows.service.js';
import { WorkerLifecycle } from './workers/worker-lifecycle.service.js';

const database = [Clock, LiveBus, RunLog];
const access = [AuditService, KeyService, RateLimits, ShownViews, Tickets];
const plugins = [EnvironmentPlay, PluginCatalogue, PluginGuard];
const artifacts: Provider[] = [
  { provide: ArtifactStore, inject: [SERVER_OPTIONS], useFactory: createArtifactStore },
  ArtifactService,
  ArtifactAccess,
  DeletedRunSweep,
];
const history = [
  AlertService,
  MetricExtents,
  MetricHistory,
  MetricTails,
  RetentionService,
  RunReader,
  EventReader,
  LogReader,
  TrajectoriesInFlight,
  TrajectoryFiles,
  TrajectoryPlay,
  TrajectoryQueries,
  WebhookService,
];
const workers = [DeviceHistory, ModelCalls, WorkerCleanup, WorkerPool, WorkerRows, WorkerLifecycle];
const launchers = [LaunchTable];
const scheduling = [
  AssignmentService,
  AttemptService,
  ClaimService,
  EventIngest,
  ExplainService,
  HandshakeService,
  JobChanges,
  JobCounters,
  JobQueries,
  JobQueue,
  JobService,
  JobTimer,
  ReservedDevices,
  ConcurrencyLimits,
  UsageQuotas,
  LeaseTable,
  SchedulerService,
];
const scaling = [LauncherQueries, LaunchedWorkers, ScalingService];
const runs = [
  CheckpointRetention,
  ExportTables,
  ImportCompletion,
  ProjectQueries,
  Recipes,
  RunBulk,
  RunChats,
  RunCheckpoints,
  RunComments,
  RunComparisons,
  RunCreator,
  RunDeletion,
  RunAnnotations,
  CommandLine,
  RunEstimator,
  RunReports,
  RunEtas,
  RunEvaluations,
  RunExport,
  RunImport,
  RunForks,
  RunGroupQueries,
  RunGroupTests,
  RunQueries,
  RunLifecycle,
  RunTickets,
  RunTwins,
];
const verdicts = [AlertExamplesService, AlertVerdicts, RatingExports, RatingSets, Ratings, TrajectorySampler];
const providers = [
  ...database,
  ...access,
  ...plugins,
  ...artifacts,
  ...history,
  ...workers,
  ...launchers,
  ...scheduling,
  ...scaling,
  ...runs,
  ...verdicts,
];

@Module({ providers, exports: providers })
export class CoreModule implements OnApplicationShutdown {
  constructor(private readonly store: ArtifactStore) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
