/**
 * @file Recovers jobs when the server starts: those held by workers keep their lease long enough for the workers to
 * reconnect; queued ones are read into the queue.
 */
import { activeStates } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { RunLog } from '../database/run-log.js';
import { Worker } from '../database/entities/worker.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { JobQueue } from './job-queue.js';
import { LeaseTable } from './lease-table.js';

@Injectable()
export class JobStartup {
  constructor(
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly pool: WorkerPool,
    private readonly leases: LeaseTable,
    private readonly queue: JobQueue,
  ) {}

  async load(): Promise<void> {
    await this.log.write('workers', (manager) => manager.update(Worker, { online: true }, { online: false }));
    const jobs = await this.source.getRepository(Job).findBy({ state: In([...activeStates]) });
    for (const job of jobs) await this.hold(job);
    await this.queue.refresh();
  }

  private async hold(job: Job): Promise<void> {
    const attempt = await this.source.getRepository(Attempt).findOneBy({ id: job.attemptId ?? '' });
    if (attempt === null) return;
    this.pool.allocate({
      attemptId: attempt.id,
      jobId: job.id,
      token: attempt.number,
      workerId: attempt.workerId,
      devices: attempt.devices,
      createdBy: job.createdBy,
      isOrphan: false,
      control: job.control,
    });
    this.leases.hold(attempt.id);
  }
}
