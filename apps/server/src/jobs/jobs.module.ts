import { Global, Module } from '@nestjs/common';
import { PluginsModule } from '../plugins/plugins.module.js';
import { WorkerPoolModule } from '../workers/worker-pool.module.js';
import { AssignmentService } from './assignment.service.js';
import { AttemptService } from './attempt.service.js';
import { ClaimService } from './claims.service.js';
import { Clock } from './clock.js';
import { DISPATCH_QUEUE, dispatchProvider } from './dispatch.provider.js';
import { ExplainService } from './explain.service.js';
import { JobChanges } from './job-changes.js';
import { JobCounters } from './job-counters.js';
import { JobLedger } from './job-ledger.js';
import { JobController } from './job.controller.js';
import { JobQueries } from './job-queries.service.js';
import { JobResolver } from './job.resolver.js';
import { JobService } from './job.service.js';
import { JobStartup } from './job-startup.js';
import { JobSteering } from './job-steering.service.js';
import { JobTimer } from './job-timer.js';
import { KeptDevices } from './kept-devices.js';
import { KeyQuotas } from './key-quotas.js';
import { KeyRoom } from './key-room.js';
import { LaneBook } from './lane-book.js';
import { LeaseBook } from './lease-book.js';
import { SchedulerService } from './scheduler.service.js';
import { TicketSync } from './ticket-sync.js';
import { Tickets } from './tickets.js';

/** Jobs: what waits, what runs where, and what becomes of it. */
@Global()
@Module({
  imports: [WorkerPoolModule, PluginsModule],
  providers: [
    ...[
      dispatchProvider,
      Clock,
      JobCounters,
      JobChanges,
      LeaseBook,
      LaneBook,
      Tickets,
      TicketSync,
      KeyQuotas,
      KeyRoom,
    ],
    ...[KeptDevices, ExplainService, AttemptService, ClaimService, AssignmentService, SchedulerService],
    ...[JobService, JobStartup, JobLedger, JobTimer, JobQueries, JobSteering, JobResolver],
  ],
  controllers: [JobController],
  exports: [
    ...[DISPATCH_QUEUE, Clock, JobCounters, JobService, AttemptService, LeaseBook, ExplainService],
    ...[SchedulerService, JobQueries, JobChanges, ClaimService, KeyRoom],
  ],
})
export class JobsModule {}
