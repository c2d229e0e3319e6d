/** @file The projects that have runs, with the number of runs in each state. */
import type { JobState } from '@espalier/protocol';
import { Injectable } from '@nestjs/common';
import { DataSource, type SelectQueryBuilder } from 'typeorm';
import { type Caller, restrictToVisible } from '../access/caller.js';
import { Run } from '../database/entities/run.js';
import { limitConcurrency } from '../database/limit-concurrency.js';
import { type Page, type PagePart, planPage, toPage } from '../database/page.js';

export class StateCount {
  state!: JobState;
  runs!: number;
}

export class Project {
  name!: string;
  runs!: number;
  states!: StateCount[];
  newestRunAt!: number;
}

@Injectable()
export class ProjectQueries {
  constructor(private readonly source: DataSource) {}

  /** Lists the projects a caller may see, by name. @throws server.invalid_cursor, server.invalid_input */
  async list(caller: Caller, part: PagePart): Promise<Page<Project>> {
    const plan = planPage(part, { name: 'project', kinds: ['text'], direction: 'asc' });
    const seen = restrictToVisible(this.runs(), caller);
    const query = seen
      .clone()
      .select('run.project', 'name')
      .addSelect('MAX(run.createdAt)', 'newest')
      .groupBy('run.project')
      .orderBy('run.project', plan.direction)
      .limit(plan.limit);
    plan.bounds.forEach(({ operator, key }, index) =>
      query.andWhere(`run.project ${operator} :bound${index}`, { [`bound${index}`]: key[0] }),
    );
    const rows = await limitConcurrency(() => query.getRawMany<{ name: string; newest: unknown }>());
    const counts = await this.countStates(rows.map(({ name }) => name));
    const projects = rows.map(({ name, newest }) => {
      const states = counts.get(name) ?? [];
      const runs = states.reduce((sum, one) => sum + one.runs, 0);
      return Object.assign(new Project(), { name, runs, states, newestRunAt: Number(newest) });
    });
    const count = async (): Promise<number> => {
      const distinct = seen.select('COUNT(DISTINCT run.project)', 'projects');
      const found = await limitConcurrency(() => distinct.getRawOne<{ projects: unknown }>());
      return Number(found?.projects ?? 0);
    };
    return toPage(plan, projects, ({ name }) => [name], count);
  }

  private async countStates(projects: readonly string[]): Promise<Map<string, StateCount[]>> {
    const query = this.runs()
      .select('run.project', 'project')
      .addSelect('run.state', 'state')
      .addSelect('COUNT(*)', 'runs')
      .where('run.project IN (:...projects)', { projects: [...projects, ''] })
      .groupBy('run.project')
      .addGroupBy('run.state')
      .orderBy('run.state');
    const rows = await limitConcurrency(() =>
      query.getRawMany<{ project: string; state: JobState; runs: unknown }>(),
    );
    const counts = new Map<string, StateCount[]>();
    for (const { project, state, runs } of rows) {
      const own = counts.get(project) ?? [];
      own.push(Object.assign(new StateCount(), { state, runs: Number(runs) }));
      counts.set(project, own);
    }
    return counts;
  }

  private runs(): SelectQueryBuilder<Run> {
    return this.source.getRepository(Run).createQueryBuilder('run');
  }
}
