/**
 * @file Schedules queued jobs by priority, then age. A queue whose first job does not fit now, or whose creator is at
 * its quota, does not block the others, unless that job has waited so long that devices are reserved for it. An
 * assignment is stored before it is sent to the worker.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { RunLog } from '../database/run-log.js';
import { WorkerPool } from '../workers/worker-pool.js';
import { AssignmentService } from './attempts/assignment.service.js';
import type { Attempt } from '../database/entities/attempt.js';
import { AttemptService } from './attempts/attempt.service.js';
import { chooseSlot } from './placement/choose-slot.js';
import { JobQueue, type QueueHead } from './job-queue.js';
import { ReservedDevices } from './placement/reserved-devices.js';
import { ConcurrencyLimits } from './concurrency-limits.js';

/** Delay before the next pass if the run of a job was locked by another write, ms. */
const retryMs = 50;
/** Most jobs assigned in one commit. */
const batchSize = 8;

/** The queue whose head is scheduled next; `again`: start another pass; null: nothing fits now. */
type Next = QueueHead | 'again' | null;

@Injectable()
export class SchedulerService {
  private readonly logger = new Logger('scheduler');
  /** pool version at which the head of a queue did not fit */
  private readonly unfit = new Map<string, number>();
  /** queues whose first job was locked by another write during this pass */
  private readonly busy = new Set<string>();
  private running: Promise<void> | null = null;
  private isRequested = false;
  private isOn = false;

  constructor(
    private readonly queue: JobQueue,
    private readonly pool: WorkerPool,
    private readonly attempts: AttemptService,
    private readonly assignments: AssignmentService,
    private readonly concurrency: ConcurrencyLimits,
    private readonly log: RunLog,
    private readonly reserved: ReservedDevices,
  ) {
    queue.onChange(() => this.wake());
    pool.onCapacity(() => this.wake());
  }

  /** Starts scheduling. */
  start(): void {
    this.isOn = true;
    this.wake();
  }

  /** Stops scheduling; resolves when the current pass has ended. */
  async stop(): Promise<void> {
    this.isOn = false;
    await this.running;
  }

  /** Requests a scheduling pass. A call during a pass leads to one more. */
  wake(): void {
    if (!this.isOn) return;
    this.isRequested = true;
    this.running ??= this.scheduleAll().finally(() => {
      this.running = null;
      if (this.isRequested) this.wake();
    });
  }

  /** Resolves when everything that fits now has been scheduled. */
  async idle(): Promise<void> {
    this.wake();
    while (this.running !== null || this.busy.size > 0) await (this.running ?? sleep(retryMs));
  }

  private async scheduleAll(): Promise<void> {
    this.isRequested = false;
    this.busy.clear();
    try {
      while (this.isOn && (await this.scheduleBatch()));
    } catch (error) {
      this.isRequested = false;
      this.logger.warn(`scheduling stopped until the next pass: ${String(error)}`);
    }
    if (this.busy.size > 0) setTimeout(() => this.wake(), retryMs).unref();
  }

  /** Schedules several jobs with one commit; false when nothing more fits. */
  private async scheduleBatch(): Promise<boolean> {
    const next = await this.findNext();
    if (next === null) return false;
    if (next === 'again') return true;
    const { attempts, isOver } = await this.log.write('scheduling', (manager) =>
      this.scheduleFrom(manager, next),
    );
    for (const attempt of attempts) void this.assignments.deliver(attempt);
    return !isOver;
  }

  /** Finds the queue whose first job is scheduled next. @param manager of the write that schedules it */
  private async findNext(manager?: EntityManager): Promise<Next> {
    if (!this.reserved.beginPass()) return null;
    let free = this.reserved.freeWorkers();
    // devices that become free during this pass are not included, nor are those of a worker that backs off
    const { version } = this.pool;
    await this.concurrency.refresh();
    for (const head of await this.queue.inOrder(manager)) {
      const isUnfit = this.unfit.get(head.queue) === version;
      if (this.busy.has(head.queue)) continue;
      if ((isUnfit && !this.reserved.hasWaitedLong(head)) || this.concurrency.isExhausted(head.createdBy))
        continue;
      if (!isUnfit && chooseSlot(head.needs, free, null, head.plugins) !== null) return head;
      this.unfit.set(head.queue, version);
      if (this.reserved.hasWaitedLong(head) && this.reserved.reserveFor(head))
        free = this.reserved.freeWorkers();
    }
    if (!this.reserved.finishPass()) return null;
    // devices are no longer reserved, so queues that did not fit may fit now
    this.unfit.clear();
    return 'again';
  }

  private async scheduleFrom(
    manager: EntityManager,
    first: QueueHead,
  ): Promise<{ readonly attempts: readonly Attempt[]; readonly isOver: boolean }> {
    const attempts: Attempt[] = [];
    for (let next: Next = first; attempts.length < batchSize; next = await this.findNext(manager)) {
      if (next === null) return { attempts, isOver: true };
      if (next === 'again') break;
      const { queue } = next;
      this.log.afterFailure(manager, () => this.queue.forget(queue));
      this.queue.forget(queue);
      const scheduled = await this.scheduleHead(manager, next);
      if (scheduled === 'nothing') return { attempts, isOver: true };
      if (scheduled === 'busy') this.busy.add(queue);
      else if (scheduled !== 'gone') attempts.push(scheduled);
    }
    return { attempts, isOver: false };
  }

  /**
   * Assigns the first job of a queue; `gone` when it is no longer the first, `busy` when another write has locked
   * its run, `nothing` when it no longer fits.
   */
  private async scheduleHead(
    manager: EntityManager,
    head: QueueHead,
  ): Promise<Attempt | 'gone' | 'busy' | 'nothing'> {
    if (!(await this.log.tryLock(manager, head.runId))) return 'busy';
    const job = await this.queue.first(manager, head.queue);
    if (job?.id !== head.id) return 'gone';
    await this.concurrency.refresh();
    // checked again, and allocated without a wait in between: a worker may have returned with a job of this key
    if (this.concurrency.isExhausted(job.createdBy)) return 'gone';
    const slot = chooseSlot(job.needs, this.reserved.freeWorkers(), head.preferredId, head.plugins);
    return slot === null ? 'nothing' : this.attempts.assign(manager, job, slot);
  }
}
