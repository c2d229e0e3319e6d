import { Args, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { DataSource, In } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { type Caller, maySee } from '../access/caller.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { Artifact } from '../artifacts/artifact.entity.js';
import { createBatchLoader, groupRows } from '../graphql/batch-loader.js';
import { type Page, PageArgs, pageOf } from '../graphql/page.js';
import { Attempt } from '../jobs/attempt.entity.js';
import { Job } from '../jobs/job.entity.js';
import { RunQueries } from './run-queries.service.js';
import { Run } from './run.entity.js';
import { RunFilter } from './run.input.js';

export const RunPage = pageOf(Run, 'RunPage');

/** Reads runs and what belongs to them. */
@Resolver(() => Run)
export class RunResolver {
  private readonly jobsOf;
  private readonly attemptsOf;
  private readonly childrenOf;
  private readonly runOf;

  constructor(
    private readonly queries: RunQueries,
    private readonly artifacts: ArtifactService,
    source: DataSource,
  ) {
    this.jobsOf = createBatchLoader(async (ids) =>
      groupRows(
        await source.getRepository(Job).find({ where: { runId: In([...ids]) }, order: { id: 'ASC' } }),
        ({ runId }) => runId,
      ),
    );
    this.attemptsOf = createBatchLoader(async (ids) =>
      groupRows(
        await source.getRepository(Attempt).find({ where: { runId: In([...ids]) }, order: { id: 'ASC' } }),
        ({ runId }) => runId,
      ),
    );
    this.childrenOf = createBatchLoader(async (ids) =>
      groupRows(
        await source.getRepository(Run).find({ where: { parentRunId: In([...ids]) }, order: { id: 'ASC' } }),
        ({ parentRunId }) => parentRunId ?? '',
      ),
    );
    this.runOf = createBatchLoader(async (ids) => {
      const runs = await source.getRepository(Run).findBy({ id: In([...ids]) });
      return new Map(runs.map((run) => [run.id, run]));
    });
  }

  @Query(() => RunPage, { description: 'Runs, newest first.' })
  @Access('viewer')
  async runs(
    @CurrentCaller() caller: Caller,
    @Args() { first, after }: PageArgs,
    @Args('filter', { type: () => RunFilter, nullable: true, description: 'Which; default: all.' })
    filter?: RunFilter,
  ): Promise<Page<Run>> {
    return this.queries.list(caller, filter ?? {}, first, after);
  }

  @Query(() => Run, { description: 'One run.' })
  @Access('viewer')
  async run(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Its id.' }) id: string,
  ): Promise<Run> {
    return this.queries.find(caller, id);
  }

  @ResolveField(() => [Job], { description: 'What was to be done for it, oldest first.' })
  @Access('viewer')
  async jobs(@Parent() { id }: Run): Promise<Job[]> {
    return (await this.jobsOf(id)) ?? [];
  }

  @ResolveField(() => [Attempt], { description: 'All tries at its jobs, oldest first.' })
  @Access('viewer')
  async attempts(@Parent() { id }: Run): Promise<Attempt[]> {
    return (await this.attemptsOf(id)) ?? [];
  }

  @ResolveField('artifacts', () => [Artifact], {
    description: 'Stored files, by path, at most 1000; of each path the newest. All of them: GET /api/v1/runs/{id}/artifacts.',
  })
  @Access('viewer')
  async artifactsOf(
    @Parent() { id }: Run,
    @Args('prefix', { type: () => String, defaultValue: '', description: 'Only paths that begin so.' })
    prefix: string,
  ): Promise<readonly Artifact[]> {
    return (await this.artifacts.list(id, prefix)).items;
  }

  @ResolveField(() => Run, { nullable: true, description: 'The run it was forked from.' })
  @Access('viewer')
  async parent(@CurrentCaller() caller: Caller, @Parent() { parentRunId }: Run): Promise<Run | null> {
    const found = parentRunId === null ? undefined : await this.runOf(parentRunId);
    return found !== undefined && maySee(caller, found.project) ? found : null;
  }

  @ResolveField(() => [Run], { description: 'Runs that were forked from it, oldest first.' })
  @Access('viewer')
  async children(@CurrentCaller() caller: Caller, @Parent() { id }: Run): Promise<Run[]> {
    return ((await this.childrenOf(id)) ?? []).filter(({ project }) => maySee(caller, project));
  }
}
