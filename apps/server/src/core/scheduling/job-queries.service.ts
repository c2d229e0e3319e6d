/** @file Reads jobs that the caller may see, one or pages of them, and their attempts; and describes them as plain data. */
import { type JobState, jobStates } from '@espalier/protocol';
import { text } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, In, type SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { type Caller, canSee, restrictToVisible, visibleOrFail } from '../access/caller.js';
import { createBatchLoader, groupRows } from '../database/batch-loader.js';
import { isoTimesOf, stepOrNull } from '../database/columns.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { omitColumns } from '../database/omit-columns.js';
import {
  columnKey,
  momentKey,
  type OrderBy,
  orderQuery,
  type Page,
  type PagePart,
  pageQuery,
  planPage,
  readPage,
  type SortKey,
  toPage,
} from '../database/page.js';
import { createPageLoader, isOuterPage } from '../database/page-of-parent.js';
import { Attempt } from '../database/entities/attempt.js';
import { Job } from '../database/entities/job.js';

const state = z.enum(Object.keys(jobStates) as [JobState]);
const shared = {
  runId: text(100).optional().describe('only those of this run'),
  project: text(200).optional().describe('only those of this project'),
};

/** What a list of jobs can be ordered by. */
export const jobOrderFields = {
  createdAt: 'when it was created',
  queuedAt: 'since when it waits, or waited last',
  endedAt: 'when it stopped; jobs that have not stopped count as the newest',
  priority: 'its priority',
} as const;
export type JobOrderField = keyof typeof jobOrderFields;

/** Which jobs; all conditions hold at once. */
export const jobConditions = z.strictObject({
  ...shared,
  states: z.array(state).max(Object.keys(jobStates).length).optional().describe('in one of these states'),
});
export type JobConditions = z.output<typeof jobConditions>;

/** `GET /jobs` */
export const jobsQuery = pageQuery.extend({
  ...shared,
  state: state.optional().describe('only those in this state'),
  ...orderQuery(jobOrderFields),
});

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
  private readonly attemptsOfRun;
  private readonly heldBy;

  constructor(private readonly source: DataSource) {
    this.attemptsOfRun = createPageLoader(
      () => this.source.getRepository(Attempt).createQueryBuilder('attempt'),
      'runId',
    );
    this.heldBy = createBatchLoader(async (ids) => {
      const query = this.listed()
        .where({ workerId: In([...ids]) })
        .orderBy('job.id');
      return groupRows(await limitConcurrency(() => query.getMany()), ({ workerId }) => workerId ?? '');
    });
  }

  /** @throws server.not_found */
  async find(caller: Caller, id: string): Promise<Job> {
    const job = await this.source.getRepository(Job).findOneBy({ id: id.slice(0, 100) });
    return visibleOrFail(caller, job, `job "${id.slice(0, 100)}"`);
  }

  /** @throws server.invalid_cursor, server.invalid_input */
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
    if (!isOuterPage(page)) {
      const query = this.listed().where('job.workerId = :workerId', { workerId });
      return readPage(restrictToVisible(query, caller), page, [id]);
    }
    const plan = planPage(page, { name: id.sql, kinds: [id.kind], direction: 'asc' });
    const held = ((await this.heldBy(workerId)) ?? []).filter(({ project }) => canSee(caller, project));
    const rows = plan.isBackward ? held.toReversed() : held;
    const key = (job: ListedJob): [string] => [job.id];
    return toPage(plan, rows.slice(0, plan.limit), key, () => Promise.resolve(held.length));
  }

  /** All attempts at a job, oldest first. */
  async attemptsOf(jobId: string): Promise<Attempt[]> {
    return this.source.getRepository(Attempt).find({ where: { jobId }, order: { number: 'ASC' } });
  }

  /** Attempts at a job, or at all jobs of a run, oldest first. */
  async listAttempts(of: { jobId: string } | { runId: string }, page: PagePart): Promise<Page<Attempt>> {
    if ('runId' in of) return this.attemptsOfRun(of.runId, page);
    const query = this.source.getRepository(Attempt).createQueryBuilder('attempt');
    return readPage(query.where(of), page, [columnKey('attempt', 'id', 'text')]);
  }

  private listed(): SelectQueryBuilder<Job> {
    return omitColumns(this.source.getRepository(Job).createQueryBuilder('job'), ['result']);
  }
}

export type ListedJobDto = ReturnType<typeof toListedJobDto>;
export type JobDto = ReturnType<typeof toJobDto>;

/** A job of a list as plain data, without the result of an evaluation. */
export function toListedJobDto(listed: ListedJob) {
  const { queue: _queue, createdBy: _key, pluginsSince: _since, control: _control, ...job } = listed;
  const times = ['createdAt', 'queuedAt', 'startedAt', 'endedAt', 'notBefore'] as const;
  return { ...job, ...isoTimesOf(job, times) };
}

export function toJobDto({ result, ...job }: Job) {
  return { ...toListedJobDto(job), result };
}

export function toAttemptDto(attempt: Attempt) {
  const {
    jobId: _job,
    runId: _run,
    versions: _versions,
    plugins: _plugins,
    gitRevision: _git,
    ...rest
  } = attempt;
  const { ackedTrainer: _trainer, ackedLog: _log, ackedWorker: _worker, ...described } = rest;
  const times = ['assignedAt', 'startedAt', 'endedAt'] as const;
  return { ...described, ...isoTimesOf(attempt, times), step: stepOrNull(attempt.step) };
}
