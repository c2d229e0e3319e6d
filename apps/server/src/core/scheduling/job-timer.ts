/** @file Recovers jobs at start; then periodic work: expires leases, ends backoffs, repeats commands, reads the queue. */
import { activeStates } from '@espalier/protocol';
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { Clock } from '../database/clock.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import { Worker } from '../database/entities/worker.js';
import { repeat } from '../database/repeat.js';
import { RunLog } from '../database/run-log.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { AttemptService } from './attempts/attempt.service.js';
import { JobCounters } from './job-counters.js';
import { JobQueue } from './job-queue.js';
import { LeaseTable } from './attempts/lease-table.js';
import { SchedulerService } from './scheduler.service.js';

const tickMs = 250;
/** interval in ticks */
const ticksPer = { control: 8, queue: 20 } as const;

@Injectable()
export class JobTimer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('jobs');
  private stopTimer = (): Promise<void> => Promise.resolve();
  private ticks = 0;

  constructor(
    private readonly log: RunLog,
    private readonly scheduler: SchedulerService,
    private readonly attempts: AttemptService,
    private readonly queue: JobQueue,
    private readonly leases: LeaseTable,
    private readonly pool: WorkerPool,
    private readonly counters: JobCounters,
    private readonly clock: Clock,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.start();
    this.stopTimer = repeat(
      () => this.tick(),
      tickMs,
      (error) => this.logger.warn(`the periodic job check failed: ${String(error)}`),
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.stopTimer();
    await this.scheduler.stop();
  }

  /**
   * Loads the jobs and starts scheduling. Jobs that workers hold keep their lease long enough for the workers to
   * reconnect.
   */
  async start(): Promise<void> {
    await this.log.write('workers', async (manager) => {
      await manager.update(Worker, { online: true }, { online: false });
      for (const job of await manager.findBy(Job, { state: In([...activeStates]) }))
        await this.recover(manager, job);
    });
    await this.queue.refresh();
    this.scheduler.start();
  }

  private async recover(manager: EntityManager, job: Job): Promise<void> {
    const attempt = await manager.findOneBy(Attempt, { id: job.attemptId ?? '' });
    if (attempt === null) return;
    this.pool.allocate({
      attemptId: attempt.id,
      token: attempt.number,
      workerId: attempt.workerId,
      devices: attempt.devices,
      createdBy: job.createdBy,
      isOrphan: false,
      control: job.control,
    });
    this.leases.extend(attempt.id);
  }

  /** Checks everything that depends on time. */
  private async tick(): Promise<void> {
    this.ticks += 1;
    for (const attemptId of this.leases.expired()) await this.attempts.expire(attemptId);
    this.queue.endBackoffs();
    this.pool.endBackoffs(this.clock.steady());
    if (this.ticks % ticksPer.control === 0) {
      this.repeatCommands();
      this.checkConflicts();
    }
    if (this.ticks % ticksPer.queue === 0) {
      await this.queue.refresh();
      this.scheduler.wake();
    }
  }

  private repeatCommands(): void {
    for (const { control, attemptId, token, workerId } of this.pool.allAllocations())
      if (control !== null) this.pool.worker(workerId)?.link?.control({ attemptId, token, action: control });
  }

  private checkConflicts(): void {
    const conflicts = this.pool.countConflicts();
    if (conflicts === 0) return;
    this.counters.add('conflicts', conflicts);
    this.logger.error(`${conflicts} devices have two attempts at once; this is a defect, report it`);
  }
}
