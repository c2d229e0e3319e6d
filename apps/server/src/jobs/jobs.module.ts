import { Global, Module } from '@nestjs/common';
import { PluginsModule } from '../plugins/plugins.module.js';
import { WorkerPoolModule } from '../workers/worker-pool.module.js';
import { AssignmentService } from './assignment.service.js';
import { AttemptService } from './attempt.service.js';
import { ClaimService } from './claims.service.js';
import { Clock } from './clock.js';
import { ExplainService } from './explain.service.js';
import { JobChanges } from './job-changes.js';
import { JobCounters } from './job-counters.js';
import { JobQueue } from './job-queue.js';
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
import { LeaseBook } from './lease-book.js';
import { SchedulerService } from './scheduler.service.js';

/** Jobs: what waits, what runs where, and what becomes of it. */
@Global()
@Module({
  imports: [WorkerPoolModule, PluginsModule],
  providers: [
    ...[Clock, JobCounters, JobChanges, LeaseBook, JobQueue, KeyQuotas, KeyRoom],
    ...[KeptDevices, ExplainService, AttemptService, ClaimService, AssignmentService, SchedulerService],
    ...[JobService, JobStartup, JobLedger, JobTimer, JobQueries, JobSteering, JobResolver],
  ],
  controllers: [JobController],
  exports: [
    ...[Clock, JobCounters, JobService, AttemptService, LeaseBook, ExplainService],
    ...[SchedulerService, JobQueries, JobChanges, ClaimService, KeyRoom],
  ],
})
export class JobsModule {}
