/**
 * @file The heads of the lanes of waiting tickets, remembered between placements, so that placing a job reads one
 * ticket and not the queue. A lane holds jobs of one key with equal needs.
 */
import type { JobNeeds, PluginVersion } from '@espalier/protocol';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { compareTickets } from '../dispatch/dispatch-queue.js';
import { RunLog } from '../events/run-log.js';
import { askQueue } from './ask-queue.js';
import { Attempt } from './attempt.entity.js';
import { Job } from './job.entity.js';
import { readKeptPlugins } from './kept-plugins.js';
import { type Ticket, DISPATCH_QUEUE, type DispatchQueue } from './dispatch.provider.js';

/** A lane with its first ticket. */
export interface Lane {
  readonly name: string;
  readonly needs: JobNeeds;
  readonly createdBy: string;
  readonly head: Ticket;
  /** worker of the last attempt of the first job, which may still have the run's folder */
  readonly preferredId: string | null;
  /** plugins that the first job keeps, and all others of the lane with it */
  readonly plugins: readonly PluginVersion[];
}

@Injectable()
export class LaneBook {
  private readonly lanes = new Map<string, Lane>();
  /** lanes whose head may be another by now */
  private readonly unread = new Set<string>();

  constructor(
    @Inject(DISPATCH_QUEUE) private readonly queue: DispatchQueue,
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
    const names = await askQueue(this.queue, this.log, () => this.queue.lanes());
    this.lanes.clear();
    this.unread.clear();
    for (const name of names) this.unread.add(name);
  }

  /**
   * All lanes with something to take, in the order of placing.
   *
   * @param manager of the write that asks, if the queue is in the database; without it the lanes are read between two
   */
  async inOrder(manager?: EntityManager): Promise<Lane[]> {
    for (const name of [...this.unread]) {
      this.unread.delete(name); // before it is read: what is told meanwhile is newer
      if (!this.queue.isInDatabase) await this.readOutside(name);
      else if (manager !== undefined) await this.readWhole(manager, name);
      else if ((await this.log.pause((own) => this.read(own, name))) !== null)
        await this.log.write((own) => this.readWhole(own, name));
    }
    return [...this.lanes.values()].sort((a, b) => compareTickets(a.head, b.head));
  }

  /** Reads the first ticket of a lane; gives the job that it is for when there is none, because its run was deleted. */
  private async read(manager: EntityManager, name: string): Promise<string | null> {
    const [head] = await this.queue.waiting(name, 1);
    return this.note(manager, name, head);
  }

  /** The same for a queue that nothing may wait for between two transactions. */
  private async readOutside(name: string): Promise<void> {
    for (;;) {
      const [head] = await this.queue.waiting(name, 1);
      const jobId = await this.log.read((manager) => this.note(manager, name, head));
      if (jobId === null) return;
      await this.queue.withdraw(jobId);
    }
  }

  private async note(manager: EntityManager, name: string, head: Ticket | undefined): Promise<string | null> {
    if (head === undefined) {
      this.lanes.delete(name);
      return null;
    }
    const tries = { attemptId: true, token: true, pluginsSince: true };
    const select = { id: true, runId: true, needs: true, createdBy: true, ...tries };
    const job = await manager.findOne(Job, { where: { id: head.jobId }, select });
    if (job === null) return head.jobId;
    const { needs, createdBy, attemptId } = job;
    const preferredId = await lastWorker(manager, attemptId);
    const plugins = await readKeptPlugins(manager, job);
    this.lanes.set(name, { name, needs, createdBy, head, preferredId, plugins });
    return null;
  }

  /** The same, and throws tickets without a job away. Inside a write. */
  private async readWhole(manager: EntityManager, name: string): Promise<void> {
    for (;;) {
      const jobId = await this.read(manager, name);
      if (jobId === null) return;
      await this.queue.withdraw(jobId);
    }
  }
}

async function lastWorker(manager: EntityManager, attemptId: string | null): Promise<string | null> {
  if (attemptId === null) return null;
  const select = { id: true, workerId: true };
  const attempt = await manager.findOne(Attempt, { where: { id: attemptId }, select });
  return attempt?.workerId ?? null;
}
