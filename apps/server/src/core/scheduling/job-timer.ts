/** @file Periodic work: expires leases, ends backoffs, repeats commands and updates rows. */
import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { WorkerPool } from '../workers/worker-pool.js';
import { AttemptService } from './attempt.service.js';
import { LeaseStore } from './lease-store.js';
import { JobStartup } from './job-startup.js';
import { JobQueue } from './job-queue.js';
import { LeaseTable } from './lease-table.js';
import { SchedulerService } from './scheduler.service.js';

const tickMs = 250;
/** interval in ticks */
const ticksPer = { control: 8, leases: 8, queue: 20 } as const;

@Injectable()
export class JobTimer implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('jobs');
  private timer: NodeJS.Timeout | undefined;
  private ticks = 0;
  private current: Promise<void> | null = null;

  constructor(
    private readonly startup: JobStartup,
    private readonly scheduler: SchedulerService,
    private readonly attempts: AttemptService,
    private readonly queue: JobQueue,
    private readonly leases: LeaseTable,
    private readonly pool: WorkerPool,
    private readonly leaseStore: LeaseStore,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.startup.load();
    this.scheduler.start();
    this.timer = setInterval(() => {
      this.current ??= this.tick()
        .catch((error: unknown) => this.logger.warn(`the periodic job check failed: ${String(error)}`))
        .finally(() => (this.current = null));
    }, tickMs);
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.current;
    await this.scheduler.stop();
  }

  /** Checks everything that depends on time. */
  async tick(): Promise<void> {
    this.ticks += 1;
    for (const attemptId of this.leases.expired()) await this.attempts.expire(attemptId);
    this.queue.endBackoffs();
    this.scheduler.endBackoffs();
    if (this.ticks % ticksPer.control === 0) this.repeatCommands();
    if (this.ticks % ticksPer.leases === 0) await this.leaseStore.write();
    if (this.ticks % ticksPer.queue === 0) {
      await this.queue.refresh();
      this.scheduler.wake();
    }
  }

  private repeatCommands(): void {
    for (const { control, attemptId, token, workerId } of this.pool.allAllocations())
      if (control !== null) this.pool.worker(workerId)?.link?.control({ attemptId, token, action: control });
  }
}
