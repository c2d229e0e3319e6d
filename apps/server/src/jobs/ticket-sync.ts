/**
 * @file Keeps tickets that lie outside the database as the database says, after it has been written and never while:
 * a service that hangs must hold nothing else up. Jobs are noted, not calls; what the ticket of a noted job has to be is
 * read when its turn comes, so calls that failed are made good by whatever is true then.
 */
import { AppError } from '@espalier/contracts';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { In } from 'typeorm';
import { RunLog } from '../events/run-log.js';
import { Clock } from './clock.js';
import { DISPATCH_QUEUE, type DispatchQueue } from './dispatch.provider.js';
import { Job } from './job.entity.js';
import { ticketOf, ticketSelect } from './new-job.js';

const chunk = 200;
/** rest after a call that failed, ms */
const restMs = 1000;

@Injectable()
export class TicketSync {
  private readonly logger = new Logger('tickets');
  /** jobs whose ticket may not be what it should be */
  private readonly noted = new Set<string>();
  /** jobs among them whose ticket may lie in another lane */
  private readonly moved = new Set<string>();
  private running: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isOff = false;

  constructor(
    @Inject(DISPATCH_QUEUE) private readonly queue: DispatchQueue,
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {}

  /** The ticket of a job may have to change. */
  note(jobId: string): void {
    this.noted.add(jobId);
    this.run();
  }

  /** The ticket of a job has to go into another lane. */
  noteMoved(jobId: string): void {
    this.moved.add(jobId);
    this.note(jobId);
  }

  /** Resolves when all tickets are what they should be, or the queue is away. */
  async settled(): Promise<void> {
    while (this.running !== null) await this.running;
  }

  /** Calls the queue no more. */
  stop(): void {
    this.isOff = true;
    clearTimeout(this.timer);
  }

  private run(): void {
    if (this.isOff || this.running !== null || this.timer !== undefined) return;
    this.running = this.work().finally(() => {
      this.running = null;
      if (this.noted.size > 0) this.run();
    });
  }

  private async work(): Promise<void> {
    // what was noted in the same turn goes together
    await Promise.resolve();
    const ids = [...this.noted].slice(0, chunk);
    for (const id of ids) this.noted.delete(id);
    const open = new Set(ids);
    try {
      const jobs = await this.log.read((manager) =>
        manager.find(Job, { where: { id: In(ids), state: 'queued' }, select: ticketSelect }),
      );
      const queued = new Map(jobs.map((job) => [job.id, job]));
      for (const id of ids) {
        await this.put(id, queued.get(id));
        open.delete(id);
      }
    } catch (error) {
      for (const id of open) this.noted.add(id);
      if (!this.isOff) this.rest(error);
    }
  }

  /** A queued job has a ticket with its priority, unless it rests; another has none. */
  private async put(id: string, job: Job | undefined): Promise<void> {
    if (this.moved.has(id)) await this.queue.withdraw(id);
    this.moved.delete(id);
    if (job === undefined || (job.notBefore ?? 0) > this.clock.now()) await this.queue.withdraw(id);
    else if (!(await this.queue.offer(ticketOf(job)))) await this.queue.reprioritise(id, job.priority);
  }

  private rest(error: unknown): void {
    const isAway = error instanceof AppError && (error.code as string) === 'dispatch.unavailable';
    if (!isAway) this.logger.warn(`tickets of ${this.noted.size} jobs: ${String(error)}; tried again`);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.run();
    }, restMs);
    this.timer.unref();
  }
}
