/** @file Reads jobs that the caller may see, one or pages of them, newest first; and why they wait. */
import type { JobState } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { type Caller, restrictToVisible, visibleOrFail } from '../access/caller.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { omitColumns } from '../database/omit-columns.js';
import {
  columnKey,
  momentKey,
  type OrderBy,
  type Page,
  type PagePart,
  readPage,
  type SortKey,
} from '../database/page.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';
import type { JobConditions, JobOrderField } from './job-request.js';

/** A job in a list, without the result of an evaluation, which may be long. */
export type ListedJob = Omit<Job, 'result'>;

/** How many jobs wait, and how many have devices. */
export class Queue {
  queued!: number;
  assigned!: number;
  running!: number;
  oldestQueuedAt!: number | null;
}

const id = columnKey('job', 'id', 'text');
const orders: Readonly<Record<JobOrderField, SortKey<Job>>> = {
  createdAt: columnKey('job', 'createdAt', 'integer'),
  queuedAt: columnKey('job', 'queuedAt', 'integer'),
  endedAt: momentKey('job', 'endedAt'),
  priority: columnKey('job', 'priority', 'number'),
};

@Injectable()
export class JobQueries {
  constructor(private readonly source: DataSource) {}

  /** @throws server.not_found */
  async find(caller: Caller, id: string): Promise<Job> {
    const job = await this.source.getRepository(Job).findOneBy({ id: id.slice(0, 100) });
    return visibleOrFail(caller, job, `job "${id.slice(0, 100)}"`);
  }

  /** @throws server.invalid_cursor, server.invalid_page */
  async list(
    caller: Caller,
    where: JobConditions,
    page: PagePart,
    { field, direction }: OrderBy<JobOrderField> = { field: 'createdAt', direction: 'desc' },
  ): Promise<Page<ListedJob>> {
    const query = this.listed();
    const { states, runId, project } = where;
    restrictToVisible(query, caller);
    if (states) query.andWhere('job.state IN (:...states)', { states: [...states, ''] });
    if (runId) query.andWhere('job.runId = :runId', { runId });
    if (project) query.andWhere('job.project = :project', { project });
    return readPage(query, page, [orders[field], id], direction);
  }

  /** Counts the jobs that the caller may see: those that wait, and those that have devices. */
  async queue(caller: Caller): Promise<Queue> {
    const query = this.source
      .getRepository(Job)
      .createQueryBuilder('job')
      .select('job.state', 'state')
      .addSelect('COUNT(*)', 'jobs')
      .addSelect('MIN(job.queuedAt)', 'oldest')
      .where('job.state IN (:...states)', {
        states: ['queued', 'assigned', 'running', 'pausing', 'cancelling'],
      })
      .groupBy('job.state');
    restrictToVisible(query, caller);
    const rows = await limitConcurrency(() =>
      query.getRawMany<{ state: JobState; jobs: unknown; oldest: unknown }>(),
    );
    const count = (...states: readonly JobState[]): number =>
      rows.filter(({ state }) => states.includes(state)).reduce((sum, { jobs }) => sum + Number(jobs), 0);
    const oldest = rows.find(({ state }) => state === 'queued')?.oldest;
    return Object.assign(new Queue(), {
      queued: count('queued'),
      assigned: count('assigned'),
      running: count('running', 'pausing', 'cancelling'),
      oldestQueuedAt: oldest === undefined ? null : Number(oldest),
    });
  }

  /** Jobs of a run, oldest first. */
  async listOfRun(runId: string, page: PagePart): Promise<Page<ListedJob>> {
    return readPage(this.listed().where('job.runId = :runId', { runId }), page, [id]);
  }

  /** Jobs that a worker runs now and the caller may see, oldest first. */
  async listOfWorker(caller: Caller, workerId: string, page: PagePart): Promise<Page<ListedJob>> {
    const query = this.listed();
    query.where('job.workerId = :workerId', { workerId });
    restrictToVisible(query, caller);
    return readPage(query, page, [id]);
  }

  /** All attempts at a job, oldest first. */
  async attemptsOf(jobId: string): Promise<Attempt[]> {
    return this.source.getRepository(Attempt).find({ where: { jobId }, order: { number: 'ASC' } });
  }

  /** Attempts at a job, or at all jobs of a run, oldest first. */
  async listAttempts(of: { jobId: string } | { runId: string }, page: PagePart): Promise<Page<Attempt>> {
    const query = this.source.getRepository(Attempt).createQueryBuilder('attempt');
    return readPage(query.where(of), page, [columnKey('attempt', 'id', 'text')]);
  }

  private listed(): SelectQueryBuilder<Job> {
    return omitColumns(this.source.getRepository(Job).createQueryBuilder('job'), ['result']);
  }
}
