/** @file Groups of runs, such as the runs of a sweep: the names that runs have as their `group`, with counts. */
import { text } from '@espalier/protocol/bounds';
import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { z } from 'zod';
import { type Caller, restrictToVisible } from '../access/caller.js';
import { Run } from '../database/entities/run.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { type Page, type PagePart, pageQuery, planPage, toPage } from '../database/page.js';
import { StateCount } from './project-queries.service.js';

export class RunGroup {
  project!: string;
  name!: string;
  runs!: number;
  states!: StateCount[];
  newestRunAt!: number;
}

/** `GET /run-groups` */
export const runGroupsQuery = pageQuery.extend({
  project: text(200).optional().describe('only of this project'),
});
export const runGroupsConditions = z.strictObject({ project: runGroupsQuery.shape.project });

interface Row {
  readonly project: string;
  readonly name: string;
  readonly state: StateCount['state'];
  readonly runs: unknown;
  readonly newest: unknown;
}

@Injectable()
export class RunGroupQueries {
  constructor(private readonly source: DataSource) {}

  /** Lists the groups a caller may see, by project and name. @throws server.invalid_cursor, server.invalid_input */
  async list(caller: Caller, project: string | undefined, part: PagePart): Promise<Page<RunGroup>> {
    const plan = planPage(part, { name: 'group', kinds: ['text', 'text'], direction: 'asc' });
    const seen = this.grouped(caller, project);
    const query = seen.clone().select('run.project', 'project').addSelect('run.group', 'name');
    for (const [index, { operator, key }] of plan.bounds.entries())
      query.andWhere(`(run.project, run.group) ${operator} (:project${index}, :group${index})`, {
        [`project${index}`]: key[0],
        [`group${index}`]: key[1],
      });
    query
      .groupBy('run.project')
      .addGroupBy('run.group')
      .orderBy('run.project', plan.direction)
      .addOrderBy('run.group', plan.direction)
      .limit(plan.limit);
    const found = await limitConcurrency(() => query.getRawMany<Pick<RunGroup, 'project' | 'name'>>());
    const groups = await this.count(seen, found);
    return toPage(
      plan,
      groups,
      ({ project: of, name }) => [of, name],
      () => this.countNames(seen),
    );
  }

  private async count(
    seen: SelectQueryBuilder<Run>,
    found: readonly Pick<RunGroup, 'project' | 'name'>[],
  ): Promise<RunGroup[]> {
    const query = this.perState(seen).andWhere('run.group IN (:...names)', {
      names: [...found.map(({ name }) => name), ''],
    });
    const rows = await limitConcurrency(() => query.getRawMany<Row>());
    return found.map(({ project, name }) => {
      const own = rows.filter((row) => row.project === project && row.name === name);
      const states = own.map(({ state, runs }) =>
        Object.assign(new StateCount(), { state, runs: Number(runs) }),
      );
      return Object.assign(new RunGroup(), {
        project,
        name,
        runs: states.reduce((sum, one) => sum + one.runs, 0),
        states,
        newestRunAt: Math.max(...own.map(({ newest }) => Number(newest))),
      });
    });
  }

  private perState(seen: SelectQueryBuilder<Run>): SelectQueryBuilder<Run> {
    return seen
      .clone()
      .select('run.project', 'project')
      .addSelect('run.group', 'name')
      .addSelect('run.state', 'state')
      .addSelect('COUNT(*)', 'runs')
      .addSelect('MAX(run.createdAt)', 'newest')
      .groupBy('run.project')
      .addGroupBy('run.group')
      .addGroupBy('run.state')
      .orderBy('run.state');
  }

  private async countNames(seen: SelectQueryBuilder<Run>): Promise<number> {
    const names = seen.clone().select('run.project', 'project').addSelect('run.group', 'name').distinct(true);
    const query = this.source
      .createQueryBuilder()
      .select('COUNT(*)', 'count')
      .from(`(${names.getQuery()})`, 'names')
      .setParameters(names.getParameters());
    const row = await limitConcurrency(() => query.getRawOne<{ count: unknown }>());
    return Number(row?.count ?? 0);
  }

  private grouped(caller: Caller, project: string | undefined): SelectQueryBuilder<Run> {
    const query = this.source.getRepository(Run).createQueryBuilder('run').where(`run.group <> ''`);
    restrictToVisible(query, caller);
    if (project !== undefined) query.andWhere('run.project = :project', { project });
    return query;
  }
}
