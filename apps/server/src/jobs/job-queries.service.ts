/** @file Reads jobs: one, or pages of them, newest first, as far as the caller may see; and why they wait. */
import type { JobState } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { type Caller, requireSeen } from '../access/caller.js';
import { decodeCursor, type Page, requirePageSize, toPage } from '../graphql/page.js';
import { Attempt } from './attempt.entity.js';
import { Job } from './job.entity.js';

/** Which jobs; all conditions hold at once. */
export interface JobConditions {
  readonly states?: readonly JobState[] | null;
  readonly runId?: string | null;
  readonly project?: string | null;
}

@Injectable()
export class JobQueries {
  constructor(private readonly source: DataSource) {}

  /** @throws server.not_found */
  async find(caller: Caller, id: string): Promise<Job> {
    const job = await this.source.getRepository(Job).findOneBy({ id: id.slice(0, 100) });
    return requireSeen(caller, job, `job "${id.slice(0, 100)}"`);
  }

  /** @throws server.bad_cursor, server.bad_page */
  async list(caller: Caller, where: JobConditions, first: number, after?: string | null): Promise<Page<Job>> {
    requirePageSize(first);
    const query = this.source.getRepository(Job).createQueryBuilder('job');
    const { states, runId, project } = where;
    if (!caller.projects.includes('*'))
      query.andWhere('job.project IN (:...seen)', { seen: [...caller.projects, ''] });
    if (states) query.andWhere('job.state IN (:...states)', { states: [...states, ''] });
    if (runId) query.andWhere('job.runId = :runId', { runId });
    if (project) query.andWhere('job.project = :project', { project });
    if (after) query.andWhere('job.id < :last', { last: decodeCursor(after, ['string'])[0] });
    const rows = await query
      .orderBy('job.id', 'DESC')
      .limit(first + 1)
      .getMany();
    return toPage(rows, first, ({ id }) => [id]);
  }

  /** Attempts of jobs, oldest first. */
  async attemptsOf(jobIds: readonly string[]): Promise<Attempt[]> {
    const where = { jobId: In([...jobIds]) };
    return this.source.getRepository(Attempt).find({ where, order: { jobId: 'ASC', number: 'ASC' } });
  }

  /** Jobs that workers have now. */
  async jobsHeldBy(workerIds: readonly string[]): Promise<Job[]> {
    return this.source.getRepository(Job).findBy({ workerId: In([...workerIds]) });
  }
}
