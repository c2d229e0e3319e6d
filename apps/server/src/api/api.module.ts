/** @file The transports of the server: GraphQL, REST, the sockets of followers and of workers. Nothing in the core imports it. */
import './graphql/types/all.js';
import type { ApolloDriverConfig } from '@nestjs/apollo';
import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, DiscoveryModule } from '@nestjs/core';
import { GraphQLModule } from '@nestjs/graphql';
import { CoreModule } from '../core/core.module.js';
import { AccessGuard } from './access/access.guard.js';
import { AuditInterceptor } from './access/audit.interceptor.js';
import { RequestAdmission } from './access/request-admission.js';
import { SocketAccess } from './access/socket-access.js';
import { UnauthenticatedSockets } from './access/unauthenticated-sockets.js';
import { ErrorFilter } from './errors/error.filter.js';
import { ErrorReport } from './errors/error-report.js';
import { RefusalInterceptor } from './graphql/refusal.js';
import { AlertResolver } from './graphql/alert.resolver.js';
import { AuditResolver } from './graphql/audit.resolver.js';
import { GraphqlHandler } from './graphql/server/graphql-handler.js';
import { createGraphqlOptions } from './graphql/server/graphql-options.js';
import { GraphqlSocket } from './graphql/server/graphql-socket.js';
import { SchemaDriver } from './graphql/server/schema-driver.js';
import { HistoryResolver } from './graphql/history.resolver.js';
import { JobResolver } from './graphql/job.resolver.js';
import { KeyResolver } from './graphql/key.resolver.js';
import { LauncherResolver } from './graphql/launcher.resolver.js';
import { MeResolver, ServerResolver, TicketResolver } from './graphql/me.resolver.js';
import { LiveResolver } from './graphql/live.resolver.js';
import { MetricResolver } from './graphql/metric.resolver.js';
import { OperationBudget } from './graphql/limits/operation-budget.js';
import { PluginResolver } from './graphql/plugin.resolver.js';
import { RunChatResolver } from './graphql/runs/run-chat.resolver.js';
import { RunCommentResolver } from './graphql/runs/run-comment.resolver.js';
import { RunComparisonResolver } from './graphql/runs/run-comparison.resolver.js';
import { RunMutations } from './graphql/runs/run-mutations.resolver.js';
import { RunBulkResolver } from './graphql/runs/run-bulk.resolver.js';
import { RunOutcomeResolver } from './graphql/runs/run-outcome.resolver.js';
import { RunResolver } from './graphql/runs/run.resolver.js';
import { TrajectoryLiveResolver } from './graphql/trajectory-live.resolver.js';
import { TokenResolver } from './graphql/token.resolver.js';
import { TrajectoryResolver } from './graphql/trajectory.resolver.js';
import { RatingResolver } from './graphql/rating.resolver.js';
import { VerdictResolver } from './graphql/verdict.resolver.js';
import { ViewResolver } from './graphql/view.resolver.js';
import { WorkerResolver } from './graphql/worker.resolver.js';
import { HealthController } from './observability/health.controller.js';
import { HealthService } from './observability/health.service.js';
import { MetricsRegistry } from './observability/metrics-registry.js';
import { MetricsController } from './observability/metrics.controller.js';
import { ServerMetrics } from './observability/server-metrics.js';
import { AlertController } from './rest/alert.controller.js';
import { ArtifactController } from './rest/artifact.controller.js';
import { AuditController } from './rest/audit.controller.js';
import { DashboardController } from './rest/dashboard.controller.js';
import { ExplorerController } from './rest/explorer.controller.js';
import { HistoryController } from './rest/history.controller.js';
import { InputCheck } from './rest/input-check.js';
import { JobController } from './rest/job.controller.js';
import { KeyController } from './rest/key.controller.js';
import { LauncherController } from './rest/launcher.controller.js';
import { MeController, TicketController } from './rest/me.controller.js';
import { MetricController } from './rest/metric.controller.js';
import { OpenApiDocument } from './rest/open-api/open-api-document.js';
import { PluginController } from './rest/plugin.controller.js';
import { ChatController } from './rest/chat.controller.js';
import { RunExportController } from './rest/run-export.controller.js';
import { RunReportController } from './rest/run-report.controller.js';
import { RunImportController } from './rest/run-import.controller.js';
import { RunOutcomeController } from './rest/run-outcome.controller.js';
import { RatingController, RubricController } from './rest/rating.controller.js';
import { RunCommentController } from './rest/run-comment.controller.js';
import { RunController } from './rest/run.controller.js';
import { TrajectoryController } from './rest/trajectory.controller.js';
import { WorkerController } from './rest/worker.controller.js';
import { RunChannels } from './stream/run-channels.js';
import { FollowedRuns } from './stream/followed-runs.js';
import { StreamGateway } from './stream/stream.gateway.js';
import { WorkerGateway } from './workers.gateway.js';

/** What every operation passes, whatever its transport. */
const gates = [
  ErrorReport,
  GraphqlHandler,
  OperationBudget,
  RequestAdmission,
  SocketAccess,
  UnauthenticatedSockets,
];

@Module({ imports: [CoreModule], providers: gates, exports: gates })
class GatesModule {}

const resolvers = [
  AlertResolver,
  AuditResolver,
  HistoryResolver,
  JobResolver,
  KeyResolver,
  LauncherResolver,
  LiveResolver,
  MeResolver,
  MetricResolver,
  PluginResolver,
  RatingResolver,
  RunChatResolver,
  RunCommentResolver,
  RunComparisonResolver,
  RunBulkResolver,
  RunMutations,
  RunOutcomeResolver,
  RunResolver,
  ServerResolver,
  TicketResolver,
  TrajectoryLiveResolver,
  TokenResolver,
  TrajectoryResolver,
  VerdictResolver,
  ViewResolver,
  WorkerResolver,
];
const controllers = [
  AlertController,
  ArtifactController,
  AuditController,
  ChatController,
  DashboardController,
  ExplorerController,
  HealthController,
  HistoryController,
  JobController,
  KeyController,
  LauncherController,
  MeController,
  MetricController,
  MetricsController,
  PluginController,
  RatingController,
  RubricController,
  RunCommentController,
  RunController,
  RunExportController,
  RunReportController,
  RunImportController,
  RunOutcomeController,
  TicketController,
  TrajectoryController,
  WorkerController,
];

@Module({
  imports: [
    CoreModule,
    GatesModule,
    DiscoveryModule,
    GraphQLModule.forRootAsync<ApolloDriverConfig>({
      driver: SchemaDriver,
      imports: [GatesModule],
      useFactory: createGraphqlOptions,
      inject: [GraphqlHandler],
    }),
  ],
  controllers,
  providers: [
    { provide: APP_FILTER, useClass: ErrorFilter },
    { provide: APP_GUARD, useClass: AccessGuard },
    { provide: APP_INTERCEPTOR, useClass: InputCheck },
    { provide: APP_INTERCEPTOR, useClass: AuditInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RefusalInterceptor },
    GraphqlSocket,
    HealthService,
    MetricsRegistry,
    OpenApiDocument,
    RunChannels,
    FollowedRuns,
    ServerMetrics,
    StreamGateway,
    WorkerGateway,
    ...resolvers,
  ],
})
export class ApiModule {}
