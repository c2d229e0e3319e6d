/**
 * @file The tickets of waiting jobs in the dispatch queue. A job waits in the database; its ticket is what a scheduler
 * takes. When the service behind the queue is away, the job waits all the same and gets its ticket by `reconcile`.
 * All calls to the queue are made inside the server's one line of writes, because SQLite has one connection.
 */
import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

import { RunLog } from '../events/run-log.js';
import { Clock } from './clock.js';
import { Job } from './job.entity.js';
import { ticketLaneOf } from './new-job.js';
import { DISPATCH_QUEUE, type DispatchQueue } from './dispatch.provider.js';

/** What a ticket is made of. */
export type Waiting = Pick<Job, 'id' | 'lane' | 'createdBy' | 'priority' | 'queuedAt' | 'notBefore'>;

const chunk = 200;

@Injectable()
export class Tickets {
  /** a call failed; some waiting job may have no ticket */
  isBehind = false;
  /** jobs that rest, with the time they may go on */
  private readonly resting = new Map<string, number>();

  constructor(
    @Inject(DISPATCH_QUEUE) private readonly queue: DispatchQueue,
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {
    log.onLoss(() => (this.isBehind = true));
  }

  /** Gives a queued job its ticket, or lets it rest first. Inside a write. */
  async offer(job: Waiting): Promise<void> {
    if (job.notBefore !== null && job.notBefore > this.clock.now()) {
      this.resting.set(job.id, job.notBefore);
      return;
    }
    await this.calmly(() =>
      this.queue.offer({
        ...{ jobId: job.id, lane: ticketLaneOf(job), priority: job.priority, enqueuedAt: job.queuedAt },
      }),
    );
  }

  /** Takes the ticket of a job away. Inside a write. */
  async withdraw(jobId: string): Promise<void> {
    this.resting.delete(jobId);
    await this.calmly(() => this.queue.withdraw(jobId));
  }

  /** Moves the ticket of a job. Inside a write. */
  async reprioritise(jobId: string, priority: number): Promise<void> {
    await this.calmly(() => this.queue.reprioritise(jobId, priority));
  }

  /** Offers the jobs whose rest is over. */
  async offerRested(): Promise<void> {
    const now = this.clock.now();
    const due = [...this.resting].filter(([, from]) => from <= now).map(([id]) => id);
    if (due.length === 0) return;
    for (const id of due) this.resting.delete(id);
    await this.log.write(async (manager) => {
      for (const id of due) {
        const job = await manager.findOneBy(Job, { id, state: 'queued' });
        if (job !== null) await this.offer(job);
      }
    });
  }

  /** Gives every queued job a ticket that has none: at the start, and after the queue was away. */
  async reconcile(): Promise<void> {
    this.isBehind = false;
    const select = { id: true, lane: true, createdBy: true, priority: true, queuedAt: true, notBefore: true };
    const jobs = await this.log.write((manager) => manager.find(Job, { where: { state: 'queued' }, select }));
    const known = await this.log.write(() => this.queue.waiting(undefined, 10_000_000));
    const held = new Set(known.map(({ jobId }) => jobId));
    const without = jobs.filter(({ id }) => !held.has(id));
    for (let from = 0; from < without.length; from += chunk)
      await this.log.write(async () => {
        for (const job of without.slice(from, from + chunk)) await this.offer(job);
      });
  }

  /** How many jobs there are before one, in the order of placing, over all lanes. */
  async before({ priority, queuedAt, id }: Job): Promise<number> {
    return this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .where(`job.state = 'queued'`)
      .andWhere(
        `(job.priority > :priority OR (job.priority = :priority AND (job."queuedAt" < :queuedAt OR (job."queuedAt" = :queuedAt AND job.id < :id))))`,
        { priority, queuedAt, id },
      )
      .getCount();
  }

  /** The place of every waiting job in the order of placing, from 0. */
  async places(): Promise<Map<string, number>> {
    const waiting = await this.source.getRepository(Job).find({
      ...{ where: { state: 'queued' as const }, select: { id: true } },
      order: { priority: 'DESC', queuedAt: 'ASC', id: 'ASC' },
    });
    return new Map(waiting.map(({ id }, place) => [id, place]));
  }

  private async calmly(call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (error) {
      if (!(error instanceof AppError) || (error.code as string) !== 'dispatch.unavailable') throw error;
      this.isBehind = true;
    }
  }
}
