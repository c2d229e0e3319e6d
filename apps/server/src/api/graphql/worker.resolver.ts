import type { PluginVersion } from '@espalier/protocol';
import {
  Args,
  createUnionType,
  ID,
  Int,
  Mutation,
  Parent,
  Query,
  ResolveField,
  Resolver,
  Subscription,
} from '@nestjs/graphql';
import { Access, CurrentCaller } from '../access/access.decorator.js';
import type { Caller } from '../../core/access/caller.js';
import { LiveBus } from '../../core/database/live-bus.js';
import { type Page } from '../../core/database/page.js';
import { connectionOf, PageArgs } from './connection.js';
import { PluginVersionType } from './types/wire.type.js';
import { as, NotFound, NotPossible, orRefuse, resolveType } from './refusal.js';
import type { ListedJob } from '../../core/scheduling/job-queries.service.js';
import { JobQueries } from '../../core/scheduling/job-queries.service.js';
import { JobConnection } from './job.resolver.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { parseInput } from '../../core/input/parse-input.js';
import { drainInput, WorkerLifecycle } from '../../core/workers/worker-lifecycle.service.js';
import { Worker } from '../../core/database/entities/worker.js';

export const WorkerConnection = connectionOf(Worker, 'Worker');

export const DrainWorkerResult = createUnionType({
  name: 'DrainWorkerResult',
  description: 'The worker, or why it is not drained, or its jobs were not told.',
  types: () => [Worker, NotFound, NotPossible] as const,
  resolveType,
});

export const UndrainWorkerResult = createUnionType({
  name: 'UndrainWorkerResult',
  description: 'The worker, or why nothing was changed.',
  types: () => [Worker, NotFound] as const,
  resolveType,
});

export const ForgetWorkerResult = createUnionType({
  name: 'ForgetWorkerResult',
  description: 'The worker as it was, or why it stays.',
  types: () => [Worker, NotFound, NotPossible] as const,
  resolveType,
});

const idArg = { type: () => ID, description: 'The worker.' } as const;

const deadlineArg = {
  type: () => Int,
  nullable: true,
  description:
    'Its jobs save and stop, and continue on other workers; those that run after so many seconds are killed and continue from their newest checkpoint. Absent: they continue there.',
} as const;

@Resolver(() => Worker)
export class WorkerResolver {
  constructor(
    private readonly lifecycle: WorkerLifecycle,
    private readonly bus: LiveBus,
    private readonly held: JobQueries,
  ) {}

  @Query(() => WorkerConnection, {
    nullable: true,
    description: 'All known workers, by name.',
  })
  @Access('viewer')
  async workers(@Args() page: PageArgs): Promise<Page<Worker>> {
    return this.lifecycle.list(page);
  }

  @Query(() => Worker, { nullable: true, description: 'One worker.' })
  @Access('viewer')
  async worker(@Args('id', idArg) id: string): Promise<Worker> {
    return this.lifecycle.find(id);
  }

  @ResolveField(() => JobConnection, {
    description: 'Jobs it has now, oldest first, as far as you may see them.',
  })
  @Access('viewer')
  async jobs(
    @CurrentCaller() caller: Caller,
    @Parent() { id }: Worker,
    @Args() page: PageArgs,
  ): Promise<Page<ListedJob>> {
    return this.held.listOfWorker(caller, id, page);
  }

  @ResolveField('plugins', () => [PluginVersionType], {
    nullable: true,
    description: 'Its external plugins; null: it is not connected, or does not report them.',
  })
  @Access('viewer')
  pluginsOf(@Parent() { id }: Worker): readonly PluginVersion[] | null {
    return this.lifecycle.pluginsOf(id);
  }

  @Mutation(() => DrainWorkerResult, {
    nullable: true,
    description:
      'Takes a worker out of placement: it gets no new jobs. Those it has continue there, or with a deadline on other workers.',
  })
  @Access('admin')
  async drainWorker(
    @CurrentCaller() caller: Caller,
    @Args('id', idArg) id: string,
    @Args('deadlineSeconds', deadlineArg) deadlineSeconds: number | null,
  ): Promise<typeof DrainWorkerResult> {
    const wish = parseInput(drainInput, { deadlineSeconds: deadlineSeconds ?? undefined }, 'drain a worker');
    return orRefuse([NotFound, NotPossible], async () =>
      as('Worker', await this.lifecycle.drain(caller, id, wish.deadlineSeconds)),
    );
  }

  @Mutation(() => UndrainWorkerResult, {
    nullable: true,
    description: 'Undrains a worker: it gets jobs again.',
  })
  @Access('admin')
  async undrainWorker(
    @CurrentCaller() caller: Caller,
    @Args('id', idArg) id: string,
  ): Promise<typeof UndrainWorkerResult> {
    return orRefuse([NotFound], async () => as('Worker', await this.lifecycle.undrain(caller, id)));
  }

  @Mutation(() => ForgetWorkerResult, {
    nullable: true,
    description:
      'Forgets a disconnected worker and returns it. Its attempts stay. If it connects again, it is a new worker.',
  })
  @Access('admin')
  async forgetWorker(
    @CurrentCaller() caller: Caller,
    @Args('id', idArg) id: string,
  ): Promise<typeof ForgetWorkerResult> {
    return orRefuse([NotFound, NotPossible], async () =>
      as('Worker', await this.lifecycle.forget(caller, id)),
    );
  }

  @Subscription(() => Worker, { description: 'Workers as they come, go and report.' })
  @Access('viewer')
  workerChanged(
    @Args('id', { ...idArg, nullable: true, description: 'Only this worker.' }) id: string | null,
  ): AsyncIterableIterator<{ workerChanged: Worker }> {
    return iterateLatest<Worker, { workerChanged: Worker }>(
      (publish) => this.bus.on('worker', id ?? '*', (worker) => publish(worker.id, worker)),
      (workerChanged) => ({ workerChanged }),
    );
  }
}
