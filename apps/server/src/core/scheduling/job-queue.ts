/**
 * @file The queue of waiting jobs: the rows of the job table in state `queued`, by priority, then age. It consists
 * of queues whose jobs have equal needs and one creator, so within a queue the order is strict. The first job of each is
 * cached between passes of the scheduler, so that scheduling a job reads one row and not the table.
 */
import { createHash } from 'node:crypto';
import type { JobNeeds, PluginVersion } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { type EntityManager, MoreThan, type SelectQueryBuilder } from 'typeorm';
import { RunLog } from '../database/run-log.js';
import { Attempt } from '../database/entities/attempt.js';
import { Clock } from '../database/clock.js';
import { Job } from '../database/entities/job.js';
import { readPinnedPlugins } from './placement/pinned-plugins.js';

/** The position of a job in the scheduling order. */
export type QueueEntry = Pick<Job, 'id' | 'priority' | 'queuedAt'>;

/** A queue with its first job. */
export interface QueueHead extends QueueEntry {
  readonly queue: string;
  readonly runId: string;
  readonly needs: JobNeeds;
  readonly createdBy: string;
  /** worker of the job's last attempt, which may still have the run's folder */
  readonly preferredId: string | null;
  /** plugins that must be there unchanged; the same for every job of the queue */
  readonly plugins: readonly PluginVersion[];
}

/** Orders entries for scheduling: by higher priority, then age, then smaller id. */
export function compareEntries(a: QueueEntry, b: QueueEntry): number {
  return b.priority - a.priority || a.queuedAt - b.queuedAt || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

const inOrder = { priority: 'DESC', queuedAt: 'ASC', id: 'ASC' } as const;

@Injectable()
export class JobQueue {
  private readonly heads = new Map<string, QueueHead>();
  /** queues whose head may have changed */
  private readonly stale = new Set<string>();
  /** jobs that back off, with the time at which they may be scheduled */
  private readonly backoffs = new Map<string, { readonly queue: string; readonly until: number }>();
  private readonly listeners = new Set<() => void>();

  constructor(
    private readonly log: RunLog,
    private readonly clock: Clock,
  ) {
    // after a failed write the state is unknown
    log.onLoss(() => this.heads.forEach((_, queue) => this.stale.add(queue)));
  }

  /** Calls back when a job may have become schedulable. */
  onChange(listener: () => void): void {
    this.listeners.add(listener);
  }

  /** After the commit, notes that a job was queued, dequeued or moved within the order. Inside a write. */
  changed(manager: EntityManager, job: Pick<Job, 'id' | 'queue' | 'state' | 'notBefore'>): void {
    const { id, queue, state, notBefore } = job;
    this.log.afterCommit(manager, () => {
      this.backoffs.delete(id);
      if (state === 'queued' && notBefore !== null && notBefore > this.clock.now())
        this.backoffs.set(id, { queue, until: notBefore });
      this.forget(queue);
      this.notify();
    });
  }

  /** Marks the head of a queue as stale. */
  forget(queue: string): void {
    this.stale.add(queue);
  }

  /** Ends the backoffs whose time is over. */
  endBackoffs(): void {
    const now = this.clock.now();
    const over = [...this.backoffs].filter(([, { until }]) => until <= now);
    for (const [id, { queue }] of over) {
      this.backoffs.delete(id);
      this.forget(queue);
    }
    if (over.length > 0) this.notify();
  }

  /** Reads the queues: at the start, and periodically because the outcome of a write may be unknown. */
  async refresh(): Promise<void> {
    await this.log.read(async (manager) => {
      const waiting = manager.createQueryBuilder(Job, 'job').where(`job.state = 'queued'`);
      const queues = await waiting.select('DISTINCT job.queue', 'queue').getRawMany<{ queue: string }>();
      const later = await manager.find(Job, {
        where: { state: 'queued', notBefore: MoreThan(this.clock.now()) },
        select: { id: true, queue: true, notBefore: true },
      });
      this.heads.clear();
      this.stale.clear();
      this.backoffs.clear();
      for (const { queue } of queues) this.stale.add(queue);
      for (const { id, queue, notBefore } of later) this.backoffs.set(id, { queue, until: notBefore ?? 0 });
    });
  }

  /** The heads of all queues in scheduling order. @param manager of the current write, if any */
  async inOrder(manager?: EntityManager): Promise<QueueHead[]> {
    for (const queue of [...this.stale]) {
      // before the read, so that a change during the read marks it again
      this.stale.delete(queue);
      const read = (own: EntityManager): Promise<QueueHead | null> => this.readHead(own, queue);
      const head = manager === undefined ? await this.log.read(read) : await read(manager);
      if (head === null) this.heads.delete(queue);
      else this.heads.set(queue, head);
    }
    return [...this.heads.values()].sort(compareEntries);
  }

  /** The first job of a queue that may be scheduled now, with all columns. Inside a write. */
  async first(manager: EntityManager, queue: string): Promise<Job | null> {
    return this.ready(manager, queue).getOne();
  }

  /** The number of jobs ahead of one. */
  async countBefore(manager: EntityManager, { priority, queuedAt, id }: QueueEntry): Promise<number> {
    return manager
      .createQueryBuilder(Job, 'job')
      .where(`job.state = 'queued'`)
      .andWhere(
        `(job.priority > :priority OR (job.priority = :priority AND (job."queuedAt" < :queuedAt OR (job."queuedAt" = :queuedAt AND job.id < :id))))`,
        { priority, queuedAt, id },
      )
      .getCount();
  }

  /** The position of every queued job in scheduling order, from 0. */
  async positions(manager: EntityManager): Promise<Map<string, number>> {
    const waiting = await manager.find(Job, {
      where: { state: 'queued' },
      select: { id: true },
      order: inOrder,
    });
    return new Map(waiting.map(({ id }, position) => [id, position]));
  }

  private async readHead(manager: EntityManager, queue: string): Promise<QueueHead | null> {
    const columns = [
      'id',
      'runId',
      'needs',
      'createdBy',
      'priority',
      'queuedAt',
      'attemptId',
      'token',
      'pluginsSince',
    ];
    const job = await this.ready(manager, queue)
      .select(columns.map((column) => `job.${column}`))
      .getOne();
    if (job === null) return null;
    const { id, runId, priority, queuedAt, needs, createdBy, attemptId } = job;
    const preferredId = await lastWorker(manager, attemptId);
    const plugins = await readPinnedPlugins(manager, job);
    return { queue, id, runId, priority, queuedAt, needs, createdBy, preferredId, plugins };
  }

  /** Jobs of a queue that may be scheduled now, in order; uses the index `job_queue`. */
  private ready(manager: EntityManager, queue: string): SelectQueryBuilder<Job> {
    return manager
      .createQueryBuilder(Job, 'job')
      .where(`job.state = 'queued' AND job.queue = :queue`, { queue })
      .andWhere('COALESCE(job."notBefore", 0) <= :now', { now: this.clock.now() })
      .orderBy({ 'job.priority': 'DESC', 'job.queuedAt': 'ASC', 'job.id': 'ASC' })
      .limit(1);
  }

  private notify(): void {
    for (const listener of this.listeners) listener();
  }
}

/**
 * Returns the queue of a job: its needs, its pinned plugins and its creator, such as `gpu-2~0a1b2c3d` or
 * `cpu-1-l4f0c2a91~0a1b2c3d`. A job that waits for a worker with its plugins, or whose creator is at its quota, blocks
 * no other job.
 */
export function queueOf(
  { needs, createdBy }: Pick<Job, 'needs' | 'createdBy'>,
  plugins: readonly PluginVersion[] = [],
): string {
  return `${needsClass(needs, plugins)}~${shortHash(createdBy)}`;
}

/** Names the class of jobs with equal needs and plugins, of any creator. */
export function needsClass(
  { kind, count, memoryMb, labels }: JobNeeds,
  plugins: readonly PluginVersion[] = [],
): string {
  const parts: (string | number)[] = [kind, count];
  if (memoryMb !== 0) parts.push(`${memoryMb}mb`);
  if (labels.length > 0) parts.push(`l${shortHash(JSON.stringify([...labels].sort()))}`);
  const pinned = plugins.map((plugin) => `${plugin.kind} ${plugin.id} ${plugin.sha256}`).sort();
  if (pinned.length > 0) parts.push(`p${shortHash(pinned.join())}`);
  return parts.join('-');
}

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

async function lastWorker(manager: EntityManager, attemptId: string | null): Promise<string | null> {
  if (attemptId === null) return null;
  const select = { id: true, workerId: true };
  const attempt = await manager.findOne(Attempt, { where: { id: attemptId }, select });
  return attempt?.workerId ?? null;
}
