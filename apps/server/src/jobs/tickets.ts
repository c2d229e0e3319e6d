/**
 * @file The tickets of waiting jobs in the dispatch queue. A job waits in the database; its ticket is what a scheduler
 * takes. A queue in the database is called inside the server's one line of writes, because SQLite has one connection;
 * one elsewhere never is, because it may hang: it follows after the commit (ticket-sync.ts). Whatever the two disagree
 * on, after a crash or while the queue was away, is found by `reconcile`.
 */
import { AppError } from '@espalier/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { createId } from '../database/create-id.js';
import { RunLog } from '../events/run-log.js';
import { askQueue } from './ask-queue.js';
import { Clock } from './clock.js';
import { Job } from './job.entity.js';
import { ticketOf, ticketSelect, type Waiting } from './new-job.js';
import { DISPATCH_QUEUE, type DispatchQueue, type Ticket } from './dispatch.provider.js';
import { TicketSync } from './ticket-sync.js';

const chunk = 200;
const holdMs = 30_000;
const all = 10_000_000;

@Injectable()
export class Tickets {
  /** a call failed; some waiting job may have no ticket */
  isBehind = false;
  private readonly holder = createId('server');
  /** jobs that rest, with the time they may go on */
  private readonly resting = new Map<string, number>();

  constructor(
    @Inject(DISPATCH_QUEUE) private readonly queue: DispatchQueue,
    private readonly source: DataSource,
    private readonly log: RunLog,
    private readonly sync: TicketSync,
    private readonly clock: Clock,
  ) {
    log.onLoss(() => (this.isBehind = true));
  }

  /** Calls back when something was offered. */
  onOffer(listener: () => void): void {
    this.queue.onOffer(listener);
  }

  /** Gives a queued job its ticket, or lets it rest first. Inside a write. */
  async offer(manager: EntityManager, job: Waiting): Promise<void> {
    const isResting = job.notBefore !== null && job.notBefore > this.clock.now();
    if (isResting) this.resting.set(job.id, job.notBefore ?? 0);
    if (!isResting || !this.queue.isInDatabase)
      await this.change(manager, job.id, () => this.queue.offer(ticketOf(job)));
  }

  /** Takes the ticket of a job away. Inside a write. */
  async withdraw(manager: EntityManager, jobId: string): Promise<void> {
    const from = this.resting.get(jobId);
    this.resting.delete(jobId);
    if (from !== undefined) this.log.afterFailure(manager, () => this.resting.set(jobId, from));
    await this.change(manager, jobId, () => this.queue.withdraw(jobId));
  }

  /** Puts the ticket of a waiting job into the lane that is its own now. Inside a write. */
  async changeLane(manager: EntityManager, job: Waiting): Promise<void> {
    if (!this.queue.isInDatabase) return this.log.afterCommit(manager, () => this.sync.noteMoved(job.id));
    await this.withdraw(manager, job.id);
    await this.offer(manager, job);
  }

  /** Moves the ticket of a job. Inside a write. */
  async reprioritise(manager: EntityManager, jobId: string, priority: number): Promise<void> {
    await this.change(manager, jobId, () => this.queue.reprioritise(jobId, priority));
  }

  /** The queue is called inside writes; else never there. */
  get isInDatabase(): boolean {
    return this.queue.isInDatabase;
  }

  /**
   * Takes the first ticket of a lane; null when there is none. Unless it is withdrawn or given back, it returns by
   * itself after a while.
   */
  async take(lane: string): Promise<Ticket | null> {
    return this.queue.take(lane, this.holder, holdMs);
  }

  /** Returns a ticket that was taken to its place. Inside a write. */
  async giveBack(manager: EntityManager, jobId: string): Promise<void> {
    const give = () => this.queue.giveBack(jobId, this.holder);
    if (this.queue.isInDatabase) await give();
    else this.log.afterCommit(manager, () => void give().catch(() => undefined));
  }

  /** Offers the jobs whose rest is over. */
  async offerRested(): Promise<void> {
    const now = this.clock.now();
    const due = [...this.resting].filter(([, from]) => from <= now);
    if (due.length === 0) return;
    await this.log.write(async (manager) => {
      for (const [id] of due) {
        const job = await manager.findOneBy(Job, { id, state: 'queued' });
        if (job !== null) await this.offer(manager, job);
      }
    });
    // not before: what could not be written is tried again; what rests anew meanwhile goes on resting
    for (const [id, from] of due) if (this.resting.get(id) === from) this.resting.delete(id);
  }

  /**
   * Compares the queue with the database, which is right: at the start, after the queue was away, and now and then,
   * because a process may end between the commit and the call.
   */
  async reconcile(): Promise<void> {
    this.isBehind = false;
    // The queue first: what is queued after that is not taken for a ticket without a job.
    const tickets = await askQueue(this.queue, this.log, () => this.queue.waiting(undefined, all));
    const where = { state: 'queued' as const };
    const jobs = await this.log.read((manager) => manager.find(Job, { where, select: ticketSelect }));
    const known = new Map(tickets.map((ticket) => [ticket.jobId, ticket]));
    const wrong = jobs.filter((job) => !isSame(known.get(job.id), ticketOf(job)));
    const queued = new Set(jobs.map(({ id }) => id));
    const stray = tickets.filter(({ jobId }) => !queued.has(jobId));
    for (let from = 0; from < wrong.length; from += chunk)
      await this.log.write(async (manager) => {
        for (const { id } of wrong.slice(from, from + chunk)) await this.mend(manager, id, known.get(id));
      });
    if (!this.queue.isInDatabase) for (const { jobId } of stray) this.sync.note(jobId);
  }

  /** Resolves when what was written is in the queue, or the queue is away. */
  async settled(): Promise<void> {
    await this.sync.settled();
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

  /** Gives a job the ticket it should have, if it still waits. @param known the one that waits for it */
  private async mend(manager: EntityManager, id: string, known: Ticket | undefined): Promise<void> {
    const job = await manager.findOneBy(Job, { id, state: 'queued' });
    if (job === null) return;
    if (known !== undefined && known.lane !== ticketOf(job).lane) return this.changeLane(manager, job);
    await this.offer(manager, job);
    if (this.queue.isInDatabase) await this.reprioritise(manager, id, job.priority);
  }

  private async change(manager: EntityManager, jobId: string, call: () => Promise<unknown>): Promise<void> {
    if (!this.queue.isInDatabase) return this.log.afterCommit(manager, () => this.sync.note(jobId));
    try {
      await call();
    } catch (error) {
      if (!(error instanceof AppError) || (error.code as string) !== 'dispatch.unavailable') throw error;
      this.isBehind = true;
    }
  }
}

const isSame = (known: Ticket | undefined, { lane, priority }: Ticket): boolean =>
  known?.lane === lane && known.priority === priority;
