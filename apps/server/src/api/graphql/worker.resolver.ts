import type { PluginVersion } from '@espalier/protocol';
import {
  Args,
  Float,
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
import { connectionOf, orderOf, PageArgs } from './connection.js';
import { PluginVersionType } from './types/wire.type.js';
import { as, Input, NotFound, NotPossible, orRefuse, resultOf } from './refusal.js';
import type { ListedJob } from '../../core/scheduling/job-queries.service.js';
import { JobQueries } from '../../core/scheduling/job-queries.service.js';
import { JobConnection } from './job.resolver.js';
import { iterateLatest } from '../stream/latest-iterator.js';
import { DeviceSpan } from '../../core/database/entities/device-minute.js';
import { DeviceHistory, deviceHistoryQuery } from '../../core/workers/device-history.service.js';
import { parseInput } from '../../core/input/parse-input.js';
import {
  drainInput,
  WorkerLifecycle,
  workerOrderFields,
} from '../../core/workers/worker-lifecycle.service.js';
import { Worker } from '../../core/database/entities/worker.js';
import { idOf, inputOfSchema } from './types/from-schema.js';
import { z } from 'zod';

const WorkerConnection = connectionOf(Worker, 'Worker');
const WorkerOrder = orderOf('Worker', workerOrderFields);
type WorkerOrder = InstanceType<typeof WorkerOrder>;

const DrainWorkerResult = resultOf(
  'DrainWorkerResult',
  'The worker, or why it is not drained, or why its jobs do not move.',
  Worker,
  NotFound,
  NotPossible,
);
const UndrainWorkerResult = resultOf(
  'UndrainWorkerResult',
  'The worker, or why nothing was changed.',
  Worker,
  NotFound,
);
const ForgetWorkerResult = resultOf(
  'ForgetWorkerResult',
  'The worker as it was, or why it stays.',
  Worker,
  NotFound,
  NotPossible,
);

const idArg = { type: () => ID, description: 'The worker.' } as const;

const ofWorker = z.object({ workerId: idOf('worker') });

const DrainWorkerInput = inputOfSchema(
  'DrainWorkerInput',
  'A worker to drain.',
  ofWorker.extend(drainInput.shape),
  { workerId: ID, deadlineSeconds: Int },
);
type DrainWorkerInput = InstanceType<typeof DrainWorkerInput>;

const UndrainWorkerInput = inputOfSchema('UndrainWorkerInput', 'A worker to undrain.', ofWorker, {
  workerId: ID,
});
type UndrainWorkerInput = InstanceType<typeof UndrainWorkerInput>;

const ForgetWorkerInput = inputOfSchema('ForgetWorkerInput', 'A worker to forget.', ofWorker, {
  workerId: ID,
});
type ForgetWorkerInput = InstanceType<typeof ForgetWorkerInput>;

@Resolver(() => Worker)
@Access('viewer')
export class WorkerResolver {
  constructor(
    private readonly lifecycle: WorkerLifecycle,
    private readonly bus: LiveBus,
    private readonly held: JobQueries,
    private readonly history: DeviceHistory,
  ) {}

  @Query(() => WorkerConnection, {
    nullable: true,
    description: 'All known workers.',
  })
  async workers(
    @Args() page: PageArgs,
    @Args('orderBy', { type: () => WorkerOrder, nullable: true, description: 'Default: by name.' })
    orderBy: WorkerOrder | null | undefined,
  ): Promise<Page<Worker>> {
    return this.lifecycle.list(page, orderBy ?? undefined);
  }

  @Query(() => Worker, { nullable: true, description: 'One worker.' })
  async worker(@Args('id', idArg) id: string): Promise<Worker> {
    return this.lifecycle.find(id);
  }

  @ResolveField(() => JobConnection, {
    description: 'Its present jobs that you may see, oldest first.',
  })
  async jobs(
    @CurrentCaller() caller: Caller,
    @Parent() { id }: Worker,
    @Args() page: PageArgs,
  ): Promise<Page<ListedJob>> {
    return this.held.listOfWorker(caller, id, page);
  }

  @ResolveField(() => [DeviceSpan], {
    description:
      'What its devices did: means of equal spans of time up to now, oldest first; spans without a report are left out.',
  })
  async deviceHistory(
    @Parent() { id }: Worker,
    @Args('hours', { type: () => Float, defaultValue: 24, description: 'How far back, up to 8760.' })
    hours: number,
    @Args('points', {
      type: () => Int,
      defaultValue: 96,
      description: 'Into how many spans the time is divided, up to 1440.',
    })
    points: number,
  ): Promise<DeviceSpan[]> {
    const query = parseInput(deviceHistoryQuery, { hours, points }, 'read the history of devices');
    return this.history.list(id, query);
  }

  @ResolveField('plugins', () => [PluginVersionType], {
    nullable: true,
    description: 'Its external plugins; null: it is not connected.',
  })
  pluginsOf(@Parent() { id }: Worker): readonly PluginVersion[] | null {
    return this.lifecycle.pluginsOf(id);
  }

  @Mutation(() => DrainWorkerResult, {
    nullable: true,
    description:
      'Drains a worker: it gets no new jobs. Those it has continue there, or with a deadline on other workers.',
  })
  @Access('admin')
  async drainWorker(
    @CurrentCaller() caller: Caller,
    @Input(DrainWorkerInput) { workerId, ...input }: DrainWorkerInput,
  ): Promise<typeof DrainWorkerResult> {
    const { deadlineSeconds } = parseInput(drainInput, input, 'drain a worker');
    return orRefuse([NotFound, NotPossible], async () =>
      as('Worker', await this.lifecycle.drain(caller, workerId, deadlineSeconds)),
    );
  }

  @Mutation(() => UndrainWorkerResult, {
    nullable: true,
    description: 'Undrains a worker: it gets jobs again.',
  })
  @Access('admin')
  async undrainWorker(
    @CurrentCaller() caller: Caller,
    @Input(UndrainWorkerInput) { workerId }: UndrainWorkerInput,
  ): Promise<typeof UndrainWorkerResult> {
    return orRefuse([NotFound], async () => as('Worker', await this.lifecycle.undrain(caller, workerId)));
  }

  @Mutation(() => ForgetWorkerResult, {
    nullable: true,
    description:
      'Forgets a disconnected worker and returns it. Its attempts stay. If it connects again, it is a new worker.',
  })
  @Access('admin')
  async forgetWorker(
    @CurrentCaller() caller: Caller,
    @Input(ForgetWorkerInput) { workerId }: ForgetWorkerInput,
  ): Promise<typeof ForgetWorkerResult> {
    return orRefuse([NotFound, NotPossible], async () =>
      as('Worker', await this.lifecycle.forget(caller, workerId)),
    );
  }

  @Subscription(() => Worker, { description: 'Workers as they come, go and report.' })
  workerChanged(
    @Args('id', { ...idArg, nullable: true, description: 'Only this worker.' }) id: string | null,
  ): AsyncIterableIterator<{ workerChanged: Worker }> {
    return iterateLatest<Worker, { workerChanged: Worker }>(
      (publish) => this.bus.on('worker', id ?? '*', (worker) => publish(worker.id, worker)),
      (workerChanged) => ({ workerChanged }),
    );
  }
}
