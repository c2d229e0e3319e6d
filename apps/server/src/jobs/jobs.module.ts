import { Global, Module } from '@nestjs/common';
import { AttemptService } from './attempt.service.js';
import { Clock } from './clock.js';
import { ExplainService } from './explain.service.js';
import { JobChanges } from './job-changes.js';
import { JobCounters } from './job-counters.js';
import { JobService } from './job.service.js';
import { KeyQuotas } from './key-quotas.js';
import { LeaseBook } from './lease-book.js';
import { Tickets } from './tickets.js';

/** Jobs: what waits, what runs where, and what becomes of it. */
@Global()
@Module({
  providers: [
    ...[Clock, JobCounters, JobChanges, LeaseBook, Tickets, KeyQuotas],
    ...[ExplainService, AttemptService, JobService],
  ],
  exports: [Clock, JobCounters, JobService, AttemptService, LeaseBook, ExplainService],
})
export class JobsModule {}
