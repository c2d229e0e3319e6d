/**
 * @file The heads of the lanes of waiting tickets, remembered between placements, so that placing a job reads one
 * ticket and not the queue. A lane holds jobs of one key with equal needs.
 */
import type { JobNeeds } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { compareTickets } from '../dispatch/dispatch-queue.js';
import { RunLog } from '../events/run-log.js';
import { Attempt } from './attempt.entity.js';
import { Job } from './job.entity.js';
import { type Ticket, DISPATCH_QUEUE, type DispatchQueue } from './dispatch.provider.js';

/** A lane with its first ticket. */
export interface Lane {
  readonly name: string;
  readonly needs: JobNeeds;
  readonly createdBy: string;
  readonly head: Ticket;
  /** worker of the last attempt of the first job, which may still have the run's folder */
  readonly preferredId: string | null;
}

@Injectable()
export class LaneBook {
  private readonly lanes = new Map<string, Lane>();
  /** lanes whose head may be another by now */
  private readonly unread = new Set<string>();

  constructor(
    @Inject(DISPATCH_QUEUE) private readonly queue: DispatchQueue,
    private readonly source: DataSource,
    private readonly log: RunLog,
  ) {
    queue.onOffer((name) => this.forget(name));
  }

  /** What is known of a lane no longer holds. */
  forget(name: string): void {
    this.unread.add(name);
  }

  /** Finds lanes that were filled by others, or whose tickets became free by time; their heads are read anew. */
  async refresh(): Promise<void> {
    const names = await this.log.write(() => this.queue.lanes());
    this.lanes.clear();
    this.unread.clear();
    for (const name of names) this.unread.add(name);
  }

  /** All lanes with something to take, in the order of placing. */
  async inOrder(): Promise<Lane[]> {
    for (const name of [...this.unread]) {
      this.unread.delete(name); // before it is read: what is told meanwhile is newer
      await this.read(name);
    }
    return [...this.lanes.values()].sort((a, b) => compareTickets(a.head, b.head));
  }

  private async read(name: string): Promise<void> {
    const [head] = await this.log.write(() => this.queue.waiting(name, 1));
    if (head === undefined) return void this.lanes.delete(name);
    const jobs = this.source.getRepository(Job);
    const select = { id: true, needs: true, createdBy: true, attemptId: true };
    const job = await jobs.findOne({ where: { id: head.jobId }, select });
    if (job === null) return this.discard(name, head);
    const { needs, createdBy } = job;
    const preferredId = job.attemptId === null ? null : await this.lastWorker(job.attemptId);
    this.lanes.set(name, { name, needs, createdBy, head, preferredId });
  }

  /** A ticket without a job: its run was deleted. */
  private async discard(name: string, { jobId }: Ticket): Promise<void> {
    await this.log.write(() => this.queue.withdraw(jobId));
    return this.read(name);
  }

  private async lastWorker(attemptId: string): Promise<string | null> {
    const attempts = this.source.getRepository(Attempt);
    const attempt = await attempts.findOne({
      where: { id: attemptId },
      select: { id: true, workerId: true },
    });
    return attempt?.workerId ?? null;
  }
}
