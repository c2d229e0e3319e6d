import { Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { RunLog } from '../events/run-log.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { Clock } from './clock.js';
import { Job } from './job.entity.js';
import { JobCounters } from './job-counters.js';
import { LeaseBook } from './lease-book.js';

/** Mirrors claims into the database, for people to see, and checks that no device has two attempts. */
@Injectable()
export class JobLedger {
  private readonly logger = new Logger('jobs');

  constructor(
    private readonly log: RunLog,
    private readonly leases: LeaseBook,
    private readonly pool: WorkerPool,
    private readonly counters: JobCounters,
    private readonly clock: Clock,
  ) {}

  async write(): Promise<void> {
    this.check();
    const changed = this.leases.takeChanged();
    const leaseUntil = this.clock.now() + this.leases.leaseMs;
    for (let from = 0; from < changed.length; from += 500)
      await this.log.write((manager) => {
        const part = changed.slice(from, from + 500);
        const jobIds = part.map((attemptId) => this.pool.place(attemptId)?.jobId ?? '');
        return manager.update(Job, { id: In(jobIds), attemptId: In(part) }, { leaseUntil });
      });
  }

  private check(): void {
    const conflicts = this.pool.countConflicts();
    if (conflicts === 0) return;
    this.counters.add('conflicts', conflicts);
    this.logger.error(`${conflicts} devices have two attempts at once; this is a defect, report it`);
  }
}
