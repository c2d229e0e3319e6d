import { Args, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { DataSource, In } from 'typeorm';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import { type Caller, maySee } from '../access/caller.js';
import { ArtifactService } from '../artifacts/artifact.service.js';
import { Artifact } from '../artifacts/artifact.entity.js';
import { createBatchLoader } from '../graphql/batch-loader.js';
import { type Page, PageArgs, pageOf } from '../graphql/page.js';
import type { Attempt } from '../jobs/attempt.entity.js';
import type { Job } from '../jobs/job.entity.js';
import { JobQueries } from '../jobs/job-queries.service.js';
import { AttemptPage, JobPage } from '../jobs/job.resolver.js';
import { RunQueries } from './run-queries.service.js';
import { Run } from './run.entity.js';
import { RunFilter } from './run.input.js';

export const RunPage = pageOf(Run, 'RunPage');
const ArtifactPage = pageOf(Artifact, 'ArtifactPage');

/** Reads runs and what belongs to them. */
@Resolver(() => Run)
export class RunResolver {
  private readonly runOf;

  constructor(
    private readonly queries: RunQueries,
    private readonly jobQueries: JobQueries,
    private readonly artifacts: ArtifactService,
    source: DataSource,
  ) {
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

  @ResolveField(() => JobPage, { description: 'What was to be done for it, oldest first.' })
  @Access('viewer')
  async jobs(@Parent() { id }: Run, @Args() page: PageArgs): Promise<Page<Job>> {
    return this.jobQueries.listOfRun(id, page);
  }

  @ResolveField(() => AttemptPage, { description: 'Tries at its jobs, oldest first.' })
  @Access('viewer')
  async attempts(@Parent() { id }: Run, @Args() page: PageArgs): Promise<Page<Attempt>> {
    return this.jobQueries.listAttempts({ runId: id }, page);
  }

  @ResolveField('artifacts', () => ArtifactPage, {
    description: 'Stored files, by path; of each path the newest.',
  })
  @Access('viewer')
  async artifactsOf(
    @Parent() { id }: Run,
    @Args() page: PageArgs,
    @Args('prefix', { type: () => String, defaultValue: '', description: 'Only paths that begin so.' })
    prefix: string,
  ): Promise<Page<Artifact>> {
    return this.artifacts.page(id, prefix, page);
  }

  @ResolveField(() => Run, { nullable: true, description: 'The run it was forked from.' })
  @Access('viewer')
  async parent(@CurrentCaller() caller: Caller, @Parent() { parentRunId }: Run): Promise<Run | null> {
    const found = parentRunId === null ? undefined : await this.runOf(parentRunId);
    return found !== undefined && maySee(caller, found.project) ? found : null;
  }

  @ResolveField(() => RunPage, { description: 'Runs that were forked from it, oldest first.' })
  @Access('viewer')
  async children(
    @CurrentCaller() caller: Caller,
    @Parent() { id }: Run,
    @Args() page: PageArgs,
  ): Promise<Page<Run>> {
    return this.queries.listForks(caller, id, page);
  }
}
