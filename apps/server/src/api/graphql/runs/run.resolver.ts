import { Args, ID, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { DataSource } from 'typeorm';
import { Access, CurrentCaller } from '../../access/access.decorator.js';
import { type Caller, canSee } from '../../../core/access/caller.js';
import { ArtifactService } from '../../../core/artifacts/artifact.service.js';
import { Artifact } from '../../../core/database/entities/artifact.js';
import { createColumnLoader } from '../../../core/database/omit-columns.js';
import { createBatchLoader } from '../../../core/database/batch-loader.js';
import { listCost } from '../limits/field-costs.js';
import { type Page } from '../../../core/database/page.js';
import { connectionOf, orderOf, PageArgs } from '../connection.js';
import { parseInput } from '../../../core/input/parse-input.js';
import type { Attempt } from '../../../core/database/entities/attempt.js';
import { JobQueries, type ListedJob } from '../../../core/scheduling/job-queries.service.js';
import { AttemptConnection, JobConnection } from '../job.resolver.js';
import { type ListedRun, RunQueries } from '../../../core/runs/run-queries.service.js';
import { Run } from '../../../core/database/entities/run.js';
import { runConditions, runOrderFields } from '../../../core/runs/run-request.js';
import { RunFilter } from './run.input.js';

export const RunConnection = connectionOf(Run, 'Run');
const RunOrder = orderOf('Run', runOrderFields);
type RunOrder = InstanceType<typeof RunOrder>;
const ArtifactConnection = connectionOf(Artifact, 'Artifact');

/** Reads runs and what belongs to them. */
@Resolver(() => Run)
@Access('viewer')
export class RunResolver {
  private readonly runOf;
  private readonly specOf;
  private readonly sourceOf;

  constructor(
    private readonly queries: RunQueries,
    private readonly jobQueries: JobQueries,
    private readonly artifacts: ArtifactService,
    source: DataSource,
  ) {
    this.runOf = createBatchLoader(async (ids) => {
      const runs = await queries.listByIds(ids);
      return new Map(runs.map((run) => [run.id, run]));
    });
    this.specOf = createColumnLoader(source, Run, 'spec');
    this.sourceOf = createColumnLoader(source, Run, 'source');
  }

  @Query(() => RunConnection, { nullable: true, description: 'Runs.' })
  async runs(
    @CurrentCaller() caller: Caller,
    @Args() page: PageArgs,
    @Args('filter', { type: () => RunFilter, nullable: true, description: 'Which; default: all.' })
    filter: RunFilter | null | undefined,
    @Args('orderBy', { type: () => RunOrder, nullable: true, description: 'Default: newest first.' })
    orderBy: RunOrder | null | undefined,
  ): Promise<Page<ListedRun>> {
    const where = parseInput(runConditions, filter, 'list runs');
    return this.queries.list(caller, where, page, orderBy ?? undefined);
  }

  @Query(() => Run, { nullable: true, description: 'One run.' })
  async run(
    @CurrentCaller() caller: Caller,
    @Args('id', { type: () => ID, description: 'Its id.' }) id: string,
  ): Promise<Run> {
    return this.queries.find(caller, id);
  }

  @ResolveField('spec')
  async spec(@Parent() { id, spec }: Partial<Run> & { id: string }): Promise<Run['spec']> {
    // a run that was deleted meanwhile has none
    return spec ?? (await this.specOf(id)) ?? {};
  }

  @ResolveField('source')
  async sourceText(@Parent() { id, source }: Partial<Run> & { id: string }): Promise<Run['source']> {
    return source === undefined ? ((await this.sourceOf(id)) ?? null) : source;
  }

  @ResolveField(() => JobConnection, {
    description: 'Its jobs, oldest first.',
    complexity: listCost,
  })
  async jobs(@Parent() { id }: Run, @Args() page: PageArgs): Promise<Page<ListedJob>> {
    return this.jobQueries.listOfRun(id, page);
  }

  @ResolveField(() => AttemptConnection, {
    description: 'Attempts at its jobs, oldest first.',
    complexity: listCost,
  })
  async attempts(@Parent() { id }: Run, @Args() page: PageArgs): Promise<Page<Attempt>> {
    return this.jobQueries.listAttempts({ runId: id }, page);
  }

  @ResolveField('artifacts', () => ArtifactConnection, {
    description: 'Stored files, by path; of each path the newest.',
    complexity: listCost,
  })
  async artifactsOf(
    @Parent() { id }: Run,
    @Args() page: PageArgs,
    @Args('prefix', { type: () => String, defaultValue: '', description: 'Only paths that begin so.' })
    prefix: string,
  ): Promise<Page<Artifact>> {
    return this.artifacts.page(id, prefix, page);
  }

  @ResolveField(() => Run, { nullable: true, description: 'The run it was forked from.' })
  async parent(@CurrentCaller() caller: Caller, @Parent() { parentRunId }: Run): Promise<ListedRun | null> {
    const found = parentRunId === null ? undefined : await this.runOf(parentRunId);
    return found !== undefined && canSee(caller, found.project) ? found : null;
  }

  @ResolveField(() => RunConnection, {
    description: 'Runs that were forked from it, oldest first.',
    complexity: listCost,
  })
  async children(
    @CurrentCaller() caller: Caller,
    @Parent() { id }: Run,
    @Args() page: PageArgs,
  ): Promise<Page<ListedRun>> {
    return this.queries.listForks(caller, id, page);
  }
}
